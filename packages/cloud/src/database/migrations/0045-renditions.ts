import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Copies of media files that play on more screens, and when they are made. */
export const renditions: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    const { integer, text } = types;
    await db.schema
      .alterTable('organization')
      .addColumn('renditions', text, (column) => column.notNull().defaultTo('off'))
      .execute();
    await sql`create table renditions (
      content_id ${text} not null references assets (id) on delete cascade,
      kind ${text} not null,
      source_sha256 ${text} not null,
      state ${text} not null,
      attempts ${integer} not null,
      leased_until ${integer},
      failure ${text},
      message ${text},
      sha256 ${text},
      size ${integer},
      format ${text},
      width ${integer},
      height ${integer},
      codec ${text},
      frame_rate double precision,
      duration double precision,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      primary key (content_id, kind)
    )`.execute(db);
    await sql`create index renditions_sha256 on renditions (sha256) where sha256 is not null`.execute(db);
    await sql`create index renditions_pending on renditions (created_at)
      where state in ('wanted', 'making')`.execute(db);
    if (engine === 'postgres') {
      await tellOfDecoders(db);
    }
  },
};

/**
 * Tells all nodes of a device that can play something else now, as `NodeLink.leave` does: which files it gets depends on it,
 * and nodes of the version before do not say so.
 */
async function tellOfDecoders(db: Kysely<unknown>): Promise<void> {
  await sql`create function tell_of_decoders() returns trigger language plpgsql as $$
    begin
      insert into node_messages (node, body, created_at) values ('devices_decoders',
        json_build_object('content', null, 'devices', json_build_array(new.id), 'events', json_build_array())::text,
        (extract(epoch from clock_timestamp()) * 1000)::bigint);
      perform pg_notify('placard_nodes', '');
      return null;
    end $$`.execute(db);
  await sql`create trigger devices_decoders_changed after update of decoders on devices for each row
    when (old.decoders is distinct from new.decoders) execute function tell_of_decoders()`.execute(db);
}
