import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What the newest picture of each screen looks like. */
export const screenshotMeasures: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`alter table screenshots add column measured_at ${integer}`.execute(db);
    await sql`alter table screenshots add column measures ${text}`.execute(db);
    await sql`create index screenshots_unmeasured on screenshots (received_at) where measured_at is null`.execute(
      db,
    );
  },
};
