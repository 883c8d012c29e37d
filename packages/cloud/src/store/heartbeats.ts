import type { HeartbeatSample } from '@placard/protocol';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { NewRow, Row, Stat } from './schema.ts';

export type BucketRow = Row<'heartbeat_buckets'>;
export const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type IntervalName = keyof typeof INTERVAL_MS;

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

function bucketRow(
  deviceId: string,
  interval: IntervalName,
  atMs: number,
  sample: HeartbeatSample,
): NewRow<'heartbeat_buckets'> {
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
      let added = 0;
      for (const sample of samples) {
        const atMs = Date.parse(sample.measured_at);
        const inserted = await db
          .insertInto('heartbeat_samples')
          .values({ device_id: deviceId, measured_at: atMs, received_at: nowMs })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) continue;
        added++;
        for (const interval of ['minute', 'hour', 'day'] as const)
          await db
            .insertInto('heartbeat_buckets')
            .values(bucketRow(deviceId, interval, atMs, sample))
            .onConflict((conflict) =>
              conflict.columns(['device_id', 'interval', 'bucket']).doUpdateSet({
                samples: sql`heartbeat_buckets.samples + 1`,
                ...merged,
              }),
            )
            .execute();
      }
      return added;
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
    async deleteBefore(interval: IntervalName, beforeMs: number): Promise<void> {
      await db
        .deleteFrom('heartbeat_buckets')
        .where('interval', '=', interval)
        .where('bucket', '<', beforeMs)
        .execute();
    },
    async deleteSamplesReceivedBefore(beforeMs: number): Promise<void> {
      await db.deleteFrom('heartbeat_samples').where('received_at', '<', beforeMs).execute();
    },
  };
}
