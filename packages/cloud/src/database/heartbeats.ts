import { setImmediate } from 'node:timers/promises';
import type { HeartbeatSample } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './open-database.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import type { Row, MeasureColumns } from './schema.ts';

export type BucketRow = Row<'heartbeat_buckets'>;
export const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type IntervalName = keyof typeof INTERVAL_MS;

/** Rows per statement, each of two dozen values; all other work waits during a statement. */
const ROWS_PER_STATEMENT = 200;
const MEASURES = ['cpu', 'memory', 'disk', 'temperature', 'wifi'] as const;

const bucketStartMs = (interval: IntervalName, atMs: number): number =>
  Math.floor(atMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];

// TypeScript types computed keys as plain strings.
/* oxlint-disable typescript/no-unsafe-type-assertion */
const toStat = <Name extends string>(name: Name, value: number | null) =>
  ({
    [`${name}_count`]: value === null ? 0 : 1,
    [`${name}_sum`]: value,
    [`${name}_min`]: value,
    [`${name}_max`]: value,
  }) as MeasureColumns<Name>;
/* oxlint-enable typescript/no-unsafe-type-assertion */

function addSums(sums: BucketRow, more: BucketRow): void {
  sums.samples += more.samples;
  for (const measure of MEASURES) {
    sums[`${measure}_count`] += more[`${measure}_count`];
    const [sum, min, max] = [more[`${measure}_sum`], more[`${measure}_min`], more[`${measure}_max`]];
    if (sum === null || min === null || max === null) {
      continue;
    }
    sums[`${measure}_sum`] = (sums[`${measure}_sum`] ?? 0) + sum;
    sums[`${measure}_min`] = Math.min(sums[`${measure}_min`] ?? min, min);
    sums[`${measure}_max`] = Math.max(sums[`${measure}_max`] ?? max, max);
  }
}

/** One row per minute, hour and day that contains samples. */
function toBucketRows(deviceId: string, samples: readonly HeartbeatSample[]): BucketRow[] {
  const rows = new Map<string, BucketRow>();
  for (const sample of samples) {
    for (const interval of ['minute', 'hour', 'day'] as const) {
      const row = {
        device_id: deviceId,
        interval,
        bucket: bucketStartMs(interval, Date.parse(sample.measured_at)),
        samples: 1,
        ...toStat('cpu', sample.cpu_percent),
        ...toStat('memory', sample.memory_percent),
        ...toStat('disk', sample.disk_percent),
        ...toStat('temperature', sample.temperature_celsius),
        ...toStat('wifi', sample.wifi_signal_dbm),
      };
      const existing = rows.get(`${interval} ${row.bucket}`);
      if (existing) {
        addSums(existing, row);
      } else {
        rows.set(`${interval} ${row.bucket}`, row);
      }
    }
  }
  return [...rows.values()];
}

// `min(a, b)` is spelled differently by each database and is null if one argument is: hence `case`.
const mergedColumns = Object.fromEntries(
  MEASURES.flatMap((measure) => {
    const stored = (part: string) => sql.ref(`heartbeat_buckets.${measure}_${part}`);
    const added = (part: string) => sql.ref(`excluded.${measure}_${part}`);
    const pick = (part: string, sign: '<' | '>') =>
      sql`case when ${stored(part)} is null then ${added(part)} when ${added(part)} is null then ${stored(part)}
        when ${added(part)} ${sql.raw(sign)} ${stored(part)} then ${added(part)} else ${stored(part)} end`;
    return [
      [`${measure}_count`, sql`${stored('count')} + ${added('count')}`],
      [
        `${measure}_sum`,
        sql`case when ${stored('sum')} is null then ${added('sum')} when ${added('sum')} is null then ${stored('sum')}
          else ${stored('sum')} + ${added('sum')} end`,
      ],
      [`${measure}_min`, pick('min', '<')],
      [`${measure}_max`, pick('max', '>')],
    ];
  }),
);

/** Samples of the devices, aggregated per minute, hour and day when they arrive. */
export function heartbeatRepository(db: Db) {
  return {
    /** Counts each sample once, identified by its timestamp. Returns the number of new ones. */
    async add(deviceId: string, samples: readonly HeartbeatSample[], nowMs: number): Promise<number> {
      const byInstant = new Map<number, HeartbeatSample>();
      for (const sample of samples) {
        const atMs = Date.parse(sample.measured_at);
        if (!byInstant.has(atMs)) {
          byInstant.set(atMs, sample);
        }
      }
      if (byInstant.size === 0) {
        return 0;
      }
      const added = await db
        .insertInto('heartbeat_samples')
        .values(
          [...byInstant.keys()].map((at) => ({ device_id: deviceId, measured_at: at, received_at: nowMs })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('measured_at')
        .execute();
      const rows = toBucketRows(
        deviceId,
        added.flatMap((row) => byInstant.get(row.measured_at) ?? []),
      );
      for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
        if (start > 0) {
          await setImmediate();
        }
        await db
          .insertInto('heartbeat_buckets')
          .values(rows.slice(start, start + ROWS_PER_STATEMENT))
          .onConflict((conflict) =>
            conflict.columns(['device_id', 'interval', 'bucket']).doUpdateSet({
              samples: sql`heartbeat_buckets.samples + excluded.samples`,
              ...mergedColumns,
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
        .where('bucket', '>=', bucketStartMs(interval, fromMs))
        .where('bucket', '<', toMs)
        .orderBy('bucket')
        .execute();
    },
    /** Whether samples of this device are stored; it may be removed. */
    async hasBuckets(deviceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('heartbeat_buckets')
        .select('bucket')
        .where('device_id', '=', deviceId)
        .executeTakeFirst();
      return row !== undefined;
    },
    async deleteBefore(interval: IntervalName, beforeMs: number): Promise<void> {
      await deleteInBatches(
        db,
        'heartbeat_buckets',
        sql<SqlBool>`interval = ${interval} and bucket < ${beforeMs}`,
      );
    },
    async deleteSamplesReceivedBefore(beforeMs: number): Promise<void> {
      await deleteInBatches(db, 'heartbeat_samples', sql<SqlBool>`received_at < ${beforeMs}`);
    },
  };
}
