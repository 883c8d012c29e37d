import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/**
 * On PostgreSQL, a heartbeat writes a new version of the row of its device. With room in the same page, and without an
 * index on a column that it changes, the indexes stay as they are (a heap-only tuple update): a quarter less processor
 * time and write-ahead log. Silent devices are found by reading the table, 100,000 rows every five seconds.
 */
export const liveStateInPlace: Migration = {
  async up(db: Kysely<unknown>) {
    if (engineOf(db).name === 'postgres') {
      await sql`drop index device_live_by_last_seen`.execute(db);
      await sql`alter table device_live set (fillfactor = 80)`.execute(db);
    }
  },
};
