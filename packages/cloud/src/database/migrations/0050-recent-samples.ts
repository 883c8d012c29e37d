import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** See `recent-samples.ts`. */
export const recentSamples: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table device_live add column recent_samples text`.execute(db);
    await sql`create view all_samples as
      select device, at, cpu, memory, disk, temperature, wifi from samples
      union all
      select device, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
      from device_live, json_each(recent_samples)`.execute(db);
  },
};
