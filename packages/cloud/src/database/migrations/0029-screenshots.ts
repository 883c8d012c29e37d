import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** The newest picture of what each device shows. */
export const screenshots: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`create table screenshots (
      device_id ${text} primary key references devices (id) on delete cascade,
      taken_at ${integer} not null,
      received_at ${integer} not null,
      sha256 ${text} not null,
      size ${integer} not null,
      current ${text}
    )`.execute(db);
    await sql`create index screenshots_sha256 on screenshots (sha256)`.execute(db);
  },
};
