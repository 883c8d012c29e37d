import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** See `recent-samples.ts`. */
export const recentSamples: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table device_live add column recent_samples text`.execute(db);
    // What is damaged has no samples; without `case` it would be an error, which other devices would share. Only with `cast`
    // can SQLite read both parts of `all_samples` in the order of their keys, without sorting all samples.
    await sql`create view recent_sample_rows as
      select device, cast(value ->> 0 as integer) as at, cast(value ->> 1 as integer) as cpu,
        cast(value ->> 2 as integer) as memory, cast(value ->> 3 as integer) as disk,
        cast(value ->> 4 as integer) as temperature, cast(value ->> 5 as integer) as wifi
      from device_live, json_each(case when json_valid(recent_samples) then recent_samples end)
      where typeof(case type when 'array' then value ->> 0 end) = 'integer'`.execute(db);
    await sql`create view all_samples as
      select device, at, cpu, memory, disk, temperature, wifi from samples
      union all select device, at, cpu, memory, disk, temperature, wifi from recent_sample_rows`.execute(db);
  },
};
