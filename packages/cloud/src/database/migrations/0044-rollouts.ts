import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Rollouts of player versions, and what is compared of the devices. */
export const rollouts: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`alter table device_live add column health ${text}`.execute(db);
    await sql`create table rollouts (id ${text} primary key, name ${text}, version ${text} not null, filter ${text} not null,
      rings ${text} not null, hold_hours ${integer} not null, status ${text} not null, reason ${text}, ring ${integer} not null,
      ring_started_at ${integer}, told_at ${integer}, observed_from ${integer}, looks ${integer} not null, compared ${integer} not null, fleet ${integer} not null, self_updating ${integer} not null,
      actor_type ${text} not null, actor_id ${text} not null, actor_name ${text} not null, address ${text} not null,
      request_id ${text} not null, created_at ${integer} not null, finished_at ${integer})`.execute(db);
    await sql`create index rollouts_by_created_at on rollouts (created_at, id)`.execute(db);
    await sql`create table rollout_devices (rollout_id ${text} not null, position ${integer} not null, device_id ${text} not null,
      ring ${integer} not null, kind ${text} not null, from_version ${text} not null, status ${text} not null, code ${text},
      command_id ${text}, told_at ${integer}, updated_at ${integer}, health_before ${text}, health_after ${text},
      primary key (rollout_id, position))`.execute(db);
    await sql`create index rollout_devices_by_status on rollout_devices (rollout_id, status, position)`.execute(
      db,
    );
    await sql`create index rollout_devices_by_ring on rollout_devices (rollout_id, ring, status, position)`.execute(
      db,
    );
  },
};
