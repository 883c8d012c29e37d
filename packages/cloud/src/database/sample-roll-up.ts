import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { DAY_MS, HOUR_MS } from '../domain/durations.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { Engine } from './engine/engine.ts';
import { postgres } from './engine/postgres.ts';
import { sqlite } from './engine/sqlite.ts';
import { FIRST_RECENT, storeRecentSamples } from './recent-samples.ts';
import { MEASURES } from './schema.ts';

/** A sample usually arrives within a minute; one that arrives after the roll-up of its hour costs more. */
const ARRIVAL_MS = 10 * 60_000;

/** Until when samples may be rolled up: the end of the last hour that is over. */
export const rollUpEnd = (nowMs: number): number => Math.floor((nowMs - ARRIVAL_MS) / HOUR_MS) * HOUR_MS;

const aggregatesOn = ({ decodeMeasure }: Engine): RawBuilder<unknown> =>
  sql.join([
    sql`count(*) as samples`,
    ...MEASURES.flatMap((measure) => {
      const column = sql.ref(`samples.${measure}`);
      return [
        sql`count(${column}) as ${sql.ref(`${measure}_count`)}`,
        ...['sum', 'min', 'max'].map(
          (part) => sql`${sql.raw(part)}(${decodeMeasure(column)}) as ${sql.ref(`${measure}_${part}`)}`,
        ),
      ];
    }),
  ]);
const AGGREGATES = { sqlite: aggregatesOn(sqlite), postgres: aggregatesOn(postgres) };
/** The aggregates of a bucket as the list of a `select` from `samples`, in the order of `AGGREGATE_COLUMNS`. */
export const aggregatesOf = ({ name }: Engine): RawBuilder<unknown> => AGGREGATES[name];
const AGGREGATE_COLUMNS = [
  'samples',
  ...MEASURES.flatMap((measure) => ['count', 'sum', 'min', 'max'].map((part) => `${measure}_${part}`)),
];
/** The same columns of a stored bucket. */
export const bucketColumns = sql.join(AGGREGATE_COLUMNS.map((column) => sql.ref(column)));

/** The aggregates of several stored buckets. */
const sumOfBuckets = sql.join(
  AGGREGATE_COLUMNS.map((column) => {
    const part = column.split('_')[1] ?? 'count';
    return sql`${sql.raw(part === 'count' ? 'sum' : part)}(${sql.ref(column)})`;
  }),
);

/** Adds the aggregates of an inserted bucket to those of a stored one: the end of an `insert into heartbeat_buckets`. */
export const mergeBuckets = sql`on conflict (device_id, interval, bucket) do update set ${sql.join(
  AGGREGATE_COLUMNS.map((column) => {
    const stored = sql.ref(`heartbeat_buckets.${column}`);
    const added = sql.ref(`excluded.${column}`);
    return sql`${sql.ref(column)} = ${mergedValue(column.split('_')[1] ?? 'count', stored, added)}`;
  }),
)}`;

// `min(a, b)` is spelled differently by each database and is null if one argument is: hence `case`.
function mergedValue(
  part: string,
  stored: RawBuilder<unknown>,
  added: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (part === 'count') {
    return sql`${stored} + ${added}`;
  }
  const both =
    part === 'sum'
      ? sql`else ${stored} + ${added}`
      : sql`when ${added} ${sql.raw(part === 'min' ? '<' : '>')} ${stored} then ${added} else ${stored}`;
  return sql`case when ${stored} is null then ${added} when ${added} is null then ${stored} ${both} end`;
}

/** Samples added in one transaction; 25 devices have 1,500 an hour. With those of days it would take a second. */
const MAX_ROLLED_UP = 2000;

/**
 * Adds samples before `endMs` of the devices numbered in `(after, last]` to the buckets of hours and days, at most 2,000.
 * Returns the number to continue with.
 */
export async function rollUpSome(db: Db, after: number, last: number, endMs: number): Promise<number> {
  await storeRecentSamples(
    db,
    sql`device > ${after} and device <= ${last} and recent_samples is not null and ${FIRST_RECENT} < ${endMs}`,
  );
  await takeBackRollUp(db, after, last, endMs);
  const next = await findAfter(db, after, last, endMs);
  if (!next) {
    await rollUpSamples(db, after, last, endMs);
    return last;
  }
  const before = next.device - 1;
  await rollUpSamples(db, after, before, endMs);
  // Whole hours, unless one has too many.
  const hour = Math.floor(next.at / HOUR_MS) * HOUR_MS;
  await rollUpSamples(db, before, next.device, hour > next.rolled_up_until ? hour : next.at);
  return before;
}

/** The first sample that is too many. */
async function findAfter(db: Db, after: number, last: number, endMs: number) {
  const { rows } = await sql<{ device: number; at: number; rolled_up_until: number }>`
    select samples.device, samples.at, rolled_up_until from device_live
    join samples on samples.device = device_live.device and samples.at >= rolled_up_until and samples.at < ${endMs}
    where device_live.device > ${after} and device_live.device <= ${last}
    order by device_live.device, samples.at limit 1 offset ${MAX_ROLLED_UP}`.execute(db);
  return rows[0];
}

/**
 * The table `batch` of the devices numbered in `(after, last]`, with their ids, for `from`. With a join to a union of all devices
 * and removed ones SQLite would read all of these for each transaction.
 */
const devicesIn = (after: number, last: number): RawBuilder<unknown> => sql`(
  select device, rolled_up_until, coalesce(
    (select id from devices where number = device), (select id from removed_devices where number = device)) as id
  from device_live where device > ${after} and device <= ${last}) as batch`;

/** Samples in the buckets of the device `id` from that time on. */
const samplesInBuckets = (interval: 'hour' | 'day', fromMs: number): RawBuilder<number> =>
  sql`(select coalesce(sum(samples), 0) from heartbeat_buckets
    where device_id = id and interval = ${sql.lit(interval)} and bucket >= ${fromMs})`;

/**
 * After the clock was ahead: takes samples since `sinceMs` out of the buckets of hours and days, so that they are read
 * from their rows again. Otherwise all samples up to that time would count as late, which costs more. Left as they are
 * are devices that have such samples in buckets only, or hours of that day in its bucket only.
 */
async function takeBackRollUp(db: Db, after: number, last: number, sinceMs: number): Promise<void> {
  const dayMs = Math.floor(sinceMs / DAY_MS) * DAY_MS;
  const { rows: ahead } = await sql<{ device: number; id: string }>`
    select device, id from ${devicesIn(after, last)}
    where id is not null and rolled_up_until > ${sinceMs}
      and (select count(*) from samples
        where samples.device = batch.device and at >= ${sinceMs} and at < rolled_up_until) =
        ${samplesInBuckets('hour', sinceMs)}
      and ${samplesInBuckets('hour', dayMs)} = ${samplesInBuckets('day', dayMs)}`.execute(db);
  for (const { device, id } of ahead) {
    await sql`delete from heartbeat_buckets where device_id = ${id} and interval = 'hour' and bucket >= ${sinceMs}`.execute(
      db,
    );
    await sql`delete from heartbeat_buckets where device_id = ${id} and interval = 'day' and bucket >= ${dayMs}`.execute(
      db,
    );
    await sql`insert into heartbeat_buckets (device_id, interval, bucket, ${bucketColumns})
      select ${id}, 'day', ${dayMs}, ${sumOfBuckets} from heartbeat_buckets
      where device_id = ${id} and interval = 'hour' and bucket >= ${dayMs} having count(*) > 0`.execute(db);
    await db
      .updateTable('device_live')
      .set({ rolled_up_until: sinceMs })
      .where('device', '=', device)
      .execute();
  }
}

/**
 * Adds the samples before `endMs` of the devices numbered in `(after, last]` to the buckets of hours and days. Each
 * sample is added once: `rolled_up_until` moves in the same transaction.
 */
async function rollUpSamples(db: Db, after: number, last: number, endMs: number): Promise<void> {
  for (const [interval, lengthMs] of [
    ['hour', HOUR_MS],
    ['day', DAY_MS],
  ] as const) {
    await sql`insert into heartbeat_buckets (device_id, interval, bucket, ${bucketColumns})
      select min(batch.id), ${interval}, samples.at / ${sql.lit(lengthMs)} * ${sql.lit(lengthMs)} as start,
        ${aggregatesOf(engineOf(db))}
      from ${devicesIn(after, last)}
      join samples on samples.device = batch.device
        and samples.at >= batch.rolled_up_until and samples.at < ${endMs}
      where batch.id is not null
      group by batch.device, start
      ${mergeBuckets}`.execute(db);
  }
  await db
    .updateTable('device_live')
    .set({ rolled_up_until: endMs })
    .where('device', '>', after)
    .where('device', '<=', last)
    .where('rolled_up_until', '<', endMs)
    .execute();
}
