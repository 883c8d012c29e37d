import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** See `recent-samples.ts`. */
export const recentSamples: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table device_live add column recent_samples text`.execute(db);
    // What is damaged has no samples; without `case` it would be an error, which other devices would share.
    await sql`create view recent_sample_rows as
      select device, case type when 'array' then value ->> 0 end as at, value ->> 1 as cpu, value ->> 2 as memory,
        value ->> 3 as disk, value ->> 4 as temperature, value ->> 5 as wifi
      from device_live, json_each(case when json_valid(recent_samples) then recent_samples end)
      where typeof(case type when 'array' then value ->> 0 end) = 'integer'`.execute(db);
    await sql`create view all_samples as
      select device, at, cpu, memory, disk, temperature, wifi from samples
      union all select device, at, cpu, memory, disk, temperature, wifi from recent_sample_rows`.execute(db);
  },
};
