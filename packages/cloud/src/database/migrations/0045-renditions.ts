import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Copies of media files that play on more screens, and when they are made. */
export const renditions: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
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
  },
};
