import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** See `silent-devices.ts`. PostgreSQL has had no index of `last_seen` since 0020. */
export const lastSeenIndexed: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`drop index device_live_by_last_seen`.execute(db);
    await sql`alter table device_live add column last_seen_indexed integer not null default 0`.execute(db);
    await sql`update device_live set last_seen_indexed = last_seen
      where online = 1 and last_seen is not null`.execute(db);
    await sql`create index device_live_by_last_seen_indexed on device_live (last_seen_indexed)
      where online = 1`.execute(db);
  },
};
