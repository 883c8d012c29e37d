import { sql } from 'kysely';
import type { Db } from '../../../packages/cloud/src/database/db.ts';

/** Samples of each device, one a minute. */
const SAMPLES = 60;
const MINUTE_MS = 60_000;

/** Writes samples of the last hour: in a new table, those of many devices share a page, which is cheaper to change. */
export async function writeSamples(db: Db): Promise<void> {
  const beganMs = Date.now() - SAMPLES * MINUTE_MS;
  await sql`insert into samples (device, at, cpu, memory)
    with recursive minutes (n) as (select 0 union all select n + 1 from minutes where n + 1 < ${SAMPLES})
    select device, ${beganMs} + n * ${MINUTE_MS}, 12 + n % 7, 40 from device_live, minutes order by device, n`.execute(
    db,
  );
}

/** As screens report: neighbours in the database do not report after one another. */
export function inRandomOrder<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
