import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What each device showed when its last faults began. */
export const faultScreenshots: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`create table fault_screenshots (
      device_id ${text} not null references devices (id) on delete cascade,
      fault_code ${text} not null,
      taken_at ${integer} not null,
      received_at ${integer} not null,
      sha256 ${text} not null,
      size ${integer} not null,
      current ${text},
      primary key (device_id, fault_code)
    )`.execute(db);
    await sql`create index fault_screenshots_sha256 on fault_screenshots (sha256)`.execute(db);
  },
};
