import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** The newest logs of each device. */
export const deviceLogs: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`create table device_logs (
      device_id ${text} primary key references devices (id) on delete cascade,
      taken_at ${integer} not null,
      received_at ${integer} not null,
      sha256 ${text} not null,
      size ${integer} not null,
      files ${text} not null
    )`.execute(db);
    await sql`create index device_logs_sha256 on device_logs (sha256)`.execute(db);
  },
};
