import { setImmediate } from 'node:timers/promises';
import type { HeartbeatSample } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { deleteInSlices } from './delete-in-slices.ts';
import type { Row, Stat } from './schema.ts';

export type BucketRow = Row<'heartbeat_buckets'>;
export const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type IntervalName = keyof typeof INTERVAL_MS;

/** Rows of one statement, each of two dozen values: everybody else waits for so many. */
const ROWS_AT_ONCE = 200;
const MEASURES = ['cpu', 'memory', 'disk', 'temperature', 'wifi'] as const;

const bucketOf = (interval: IntervalName, atMs: number): number =>
  Math.floor(atMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];

// Computed keys are plain strings to the compiler.
/* oxlint-disable typescript/no-unsafe-type-assertion */
const statOf = <Name extends string>(name: Name, value: number | null) =>
  ({
    [`${name}_count`]: value === null ? 0 : 1,
    [`${name}_sum`]: value,
    [`${name}_min`]: value,
    [`${name}_max`]: value,
  }) as Stat<Name>;
/* oxlint-enable typescript/no-unsafe-type-assertion */

type BucketSums = BucketRow;

function bucketRow(
  deviceId: string,
  interval: IntervalName,
  atMs: number,
  sample: HeartbeatSample,
): BucketSums {
  return {
    device_id: deviceId,
    interval,
    bucket: bucketOf(interval, atMs),
    samples: 1,
    ...statOf('cpu', sample.cpu_percent),
    ...statOf('memory', sample.memory_percent),
    ...statOf('disk', sample.disk_percent),
    ...statOf('temperature', sample.temperature_celsius),
    ...statOf('wifi', sample.wifi_signal_dbm),
  };
}

/** Adds the readings of the second to the first. */
function addTo(sums: BucketSums, more: BucketSums): void {
  sums.samples += more.samples;
  for (const measure of MEASURES) {
    sums[`${measure}_count`] += more[`${measure}_count`];
    const [sum, min, max] = [more[`${measure}_sum`], more[`${measure}_min`], more[`${measure}_max`]];
    if (sum === null || min === null || max === null) continue;
    sums[`${measure}_sum`] = (sums[`${measure}_sum`] ?? 0) + sum;
    sums[`${measure}_min`] = Math.min(sums[`${measure}_min`] ?? min, min);
    sums[`${measure}_max`] = Math.max(sums[`${measure}_max`] ?? max, max);
  }
}

/** One row per minute, hour and day that the samples fall into. */
function bucketRows(deviceId: string, samples: readonly HeartbeatSample[]): BucketSums[] {
  const rows = new Map<string, BucketSums>();
  for (const sample of samples)
    for (const interval of ['minute', 'hour', 'day'] as const) {
      const row = bucketRow(deviceId, interval, Date.parse(sample.measured_at), sample);
      const held = rows.get(`${interval} ${row.bucket}`);
      if (held) addTo(held, row);
      else rows.set(`${interval} ${row.bucket}`, row);
    }
  return [...rows.values()];
}

// `min(a, b)` of two values is spelled differently by each database, and is null when one side is: hence `case`.
const merged = Object.fromEntries(
  MEASURES.flatMap((measure) => {
    const mine = (part: string) => sql.ref(`heartbeat_buckets.${measure}_${part}`);
    const theirs = (part: string) => sql.ref(`excluded.${measure}_${part}`);
    const pick = (part: string, sign: '<' | '>') =>
      sql`case when ${mine(part)} is null then ${theirs(part)} when ${theirs(part)} is null then ${mine(part)}
        when ${theirs(part)} ${sql.raw(sign)} ${mine(part)} then ${theirs(part)} else ${mine(part)} end`;
    return [
      [`${measure}_count`, sql`${mine('count')} + ${theirs('count')}`],
      [
        `${measure}_sum`,
        sql`case when ${mine('sum')} is null then ${theirs('sum')} when ${theirs('sum')} is null then ${mine('sum')}
          else ${mine('sum')} + ${theirs('sum')} end`,
      ],
      [`${measure}_min`, pick('min', '<')],
      [`${measure}_max`, pick('max', '>')],
    ];
  }),
);

/** Readings of the sensors, as sums per minute, hour and day kept at ingest. */
export function heartbeatRepository(db: Db) {
  return {
    /** Counts each sample once, by the instant that it was measured at. Answers with how many were new. */
    async add(deviceId: string, samples: readonly HeartbeatSample[], nowMs: number): Promise<number> {
      const byInstant = new Map<number, HeartbeatSample>();
      for (const sample of samples) {
        const atMs = Date.parse(sample.measured_at);
        if (!byInstant.has(atMs)) byInstant.set(atMs, sample);
      }
      if (byInstant.size === 0) return 0;
      const added = await db
        .insertInto('heartbeat_samples')
        .values(
          [...byInstant.keys()].map((at) => ({ device_id: deviceId, measured_at: at, received_at: nowMs })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('measured_at')
        .execute();
      const rows = bucketRows(
        deviceId,
        added.flatMap((row) => byInstant.get(row.measured_at) ?? []),
      );
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        if (start > 0) await setImmediate();
        await db
          .insertInto('heartbeat_buckets')
          .values(rows.slice(start, start + ROWS_AT_ONCE))
          .onConflict((conflict) =>
            conflict.columns(['device_id', 'interval', 'bucket']).doUpdateSet({
              samples: sql`heartbeat_buckets.samples + excluded.samples`,
              ...merged,
            }),
          )
          .execute();
      }
      return added.length;
    },
    /** Buckets that start in `[fromMs, toMs)`, oldest first. */
    async buckets(
      deviceId: string,
      interval: IntervalName,
      fromMs: number,
      toMs: number,
    ): Promise<BucketRow[]> {
      return db
        .selectFrom('heartbeat_buckets')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('interval', '=', interval)
        .where('bucket', '>=', bucketOf(interval, fromMs))
        .where('bucket', '<', toMs)
        .orderBy('bucket')
        .execute();
    },
    /** Is anything kept of this device, which may be removed by now? */
    async has(deviceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('heartbeat_buckets')
        .select('bucket')
        .where('device_id', '=', deviceId)
        .executeTakeFirst();
      return row !== undefined;
    },
    async deleteBefore(interval: IntervalName, beforeMs: number): Promise<void> {
      await deleteInSlices(
        db,
        'heartbeat_buckets',
        sql<SqlBool>`interval = ${interval} and bucket < ${beforeMs}`,
      );
    },
    async deleteSamplesReceivedBefore(beforeMs: number): Promise<void> {
      await deleteInSlices(db, 'heartbeat_samples', sql<SqlBool>`received_at < ${beforeMs}`);
    },
  };
}
