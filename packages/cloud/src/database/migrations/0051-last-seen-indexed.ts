import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/**
 * `last_seen_indexed` takes the place of `last_seen` in the index of online devices, because it changes with one heartbeat of
 * three: see `ordinary-heartbeats.ts`. PostgreSQL has no such index (0020), and the column so that queries are the same.
 */
export const lastSeenIndexed: Migration = {
  async up(db: Kysely<unknown>) {
    const { name, types } = engineOf(db);
    await sql`alter table device_live add column last_seen_indexed ${types.integer} not null default 0`.execute(
      db,
    );
    if (name === 'sqlite') {
      await sql`drop index device_live_by_last_seen`.execute(db);
      await sql`update device_live set last_seen_indexed = last_seen
        where online = 1 and last_seen is not null`.execute(db);
      await sql`create index device_live_by_last_seen_indexed on device_live (last_seen_indexed)
        where online = 1`.execute(db);
    }
  },
};
