import { sql } from 'kysely';
import type { Db } from '../../../packages/cloud/src/database/db.ts';

/** Samples of each device, one a minute. */
const SAMPLES = 60;
const MINUTE_MS = 60_000;

/** The cloud moves so many samples at a time from the row of a device: some devices are about to, others have just done so. */
const RECENT = 12;

/** Writes samples of the last hour: in a new table, those of many devices share a page, which is cheaper to change. */
export async function writeSamples(db: Db): Promise<void> {
  const beganMs = Date.now() - SAMPLES * MINUTE_MS;
  await sql`insert into samples (device, at, cpu, memory)
    with recursive minutes (n) as (select 0 union all select n + 1 from minutes where n + 1 < ${SAMPLES})
    select device, ${beganMs} + n * ${MINUTE_MS}, 12 + n % 7, 40 from device_live, minutes order by device, n`.execute(
    db,
  );
  const isRecent = sql`at >= ${beganMs + SAMPLES * MINUTE_MS} - (samples.device % ${RECENT}) * ${MINUTE_MS}`;
  await sql`update device_live set recent_samples = (
      select json_group_array(json_array(at, cpu, memory, disk, temperature, wifi) order by at) from samples
      where samples.device = device_live.device and ${isRecent})
    where device % ${RECENT} > 0`.execute(db);
  await sql`delete from samples where ${isRecent}`.execute(db);
}

/** As screens report: neighbours in the database do not report after one another. */
export function inRandomOrder<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
