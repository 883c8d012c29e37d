import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { DatedSample } from '../domain/latest-sample.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { encodeMeasure } from './engine/sqlite.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { storeRecentSamples } from './recent-samples.ts';
import { aggregatesOf, bucketColumns, mergeBuckets, rollUpSome } from './sample-roll-up.ts';
import { MEASURES } from './schema.ts';
import type { Measure, MeasureColumns, Row } from './schema.ts';

export type BucketRow = Row<'heartbeat_buckets'>;
export const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type IntervalName = keyof typeof INTERVAL_MS;

/** Rows per statement; all other work waits during a statement. */
const ROWS_PER_STATEMENT = 200;
/** Devices whose samples are deleted, or rolled up, in one transaction: an hour of each takes up to 0.3 ms. */
const DEVICES_PER_BATCH = 25;
/** Samples deleted in one transaction: those of days, after the retention was shortened or the cloud was stopped. */
const MAX_DELETED = 2000;

/** The device of samples, with what tells late samples from others. */
export type SampledDevice = { id: string } & Pick<Row<'devices'>, 'number'> &
  Pick<Row<'device_live'>, 'rolled_up_until'>;

const bucketStartMs = (interval: IntervalName, atMs: number): number =>
  Math.floor(atMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];

// TypeScript types computed keys as plain strings.
/* oxlint-disable typescript/no-unsafe-type-assertion */
const toStat = <Name extends Measure>(name: Name, value: number | null) =>
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

/** Adds up rows of the same bucket; returns them ordered by time. */
function mergeByBucket(rows: Iterable<BucketRow>): BucketRow[] {
  const byStart = new Map<string, BucketRow>();
  for (const row of rows) {
    const key = `${row.interval} ${row.bucket}`;
    const existing = byStart.get(key);
    if (existing) {
      addSums(existing, row);
    } else {
      byStart.set(key, row);
    }
  }
  return [...byStart.values()].toSorted((a, b) => a.bucket - b.bucket);
}

/** One row per hour and day that contains samples. */
const toBucketRows = (deviceId: string, samples: readonly DatedSample[]): BucketRow[] =>
  mergeByBucket(
    samples.flatMap(({ sample, atMs }) =>
      (['hour', 'day'] as const).map((interval) => ({
        device_id: deviceId,
        interval,
        bucket: bucketStartMs(interval, atMs),
        samples: 1,
        ...toStat('cpu', sample.cpu_percent),
        ...toStat('memory', sample.memory_percent),
        ...toStat('disk', sample.disk_percent),
        ...toStat('temperature', sample.temperature_celsius),
        ...toStat('wifi', sample.wifi_signal_dbm),
      })),
    ),
  );

/** The row of a sample, in the order of the columns; as SQLite stores it unless said otherwise. */
export const toSampleRow = (
  device: number,
  { sample, atMs }: DatedSample,
  encode = encodeMeasure,
): Row<'samples'> => ({
  device,
  at: atMs,
  cpu: encode(sample.cpu_percent),
  memory: encode(sample.memory_percent),
  disk: encode(sample.disk_percent),
  temperature: encode(sample.temperature_celsius),
  wifi: encode(sample.wifi_signal_dbm),
});

/**
 * Samples of the devices: one row each, from which minutes are read. `rollUp` adds them to the buckets of hours and
 * days; until then these are read from the samples as well, so that a sample counts from its arrival on.
 */
export function heartbeatRepository(db: Db) {
  const engine = engineOf(db);
  /** Of the device, removed or not; null for one that an earlier version removed. */
  const findNumber = async (deviceId: string): Promise<number | null> => {
    const { rows } = await sql<{ number: number | null }>`select number from devices where id = ${deviceId}
      union all select number from removed_devices where id = ${deviceId}`.execute(db);
    return rows[0]?.number ?? null;
  };

  /** Counts late samples in the buckets of hours and days; those that were sent before are left out. */
  const addLate = async (
    device: SampledDevice,
    byInstant: ReadonlyMap<number, DatedSample>,
    nowMs: number,
  ): Promise<number> => {
    const unseen = await db
      .insertInto('heartbeat_samples')
      .values(
        [...byInstant.keys()].map((at) => ({ device_id: device.id, measured_at: at, received_at: nowMs })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('measured_at')
      .execute();
    const added = await insertSamples(
      device,
      unseen.flatMap((row) => byInstant.get(row.measured_at) ?? []),
    );
    const rows = toBucketRows(
      device.id,
      added.flatMap((at) => byInstant.get(at) ?? []),
    );
    for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
      if (start > 0) {
        await setImmediate();
      }
      const slice = rows.slice(start, start + ROWS_PER_STATEMENT);
      const columns = Object.keys(slice[0] ?? {}).map((column) => sql.ref(column));
      await sql`insert into heartbeat_buckets (${sql.join(columns)})
        values ${sql.join(slice.map((row) => sql`(${sql.join(Object.values(row))})`))} ${mergeBuckets}`.execute(
        db,
      );
    }
    return added.length;
  };

  /** Returns the timestamps of the samples that were not stored yet. */
  const insertSamples = async (device: SampledDevice, samples: readonly DatedSample[]): Promise<number[]> => {
    if (samples.length === 0) {
      return [];
    }
    const rows = await db
      .insertInto('samples')
      .values(samples.map((sample) => toSampleRow(device.number, sample, engine.encodeMeasure)))
      .onConflict((conflict) => conflict.doNothing())
      .returning('at')
      .execute();
    return rows.map(({ at }) => at);
  };

  return {
    /** Counts each sample once, identified by its timestamp. Returns the number of new ones. */
    async add(device: SampledDevice, samples: readonly DatedSample[], nowMs: number): Promise<number> {
      await storeRecentSamples(db, sql`device = ${device.number}`);
      const recent = new Map<number, DatedSample>();
      const late = new Map<number, DatedSample>();
      for (const dated of samples) {
        const byInstant = dated.atMs < device.rolled_up_until ? late : recent;
        if (!byInstant.has(dated.atMs)) {
          byInstant.set(dated.atMs, dated);
        }
      }
      const addedLate = late.size === 0 ? 0 : await addLate(device, late, nowMs);
      return addedLate + (await insertSamples(device, [...recent.values()])).length;
    },
    /** Buckets that start in `[fromMs, toMs)`, oldest first. */
    async buckets(
      deviceId: string,
      interval: IntervalName,
      fromMs: number,
      toMs: number,
    ): Promise<BucketRow[]> {
      const startMs = bucketStartMs(interval, fromMs);
      const lengthMs = sql.lit(INTERVAL_MS[interval]);
      const endMs = bucketStartMs(interval, toMs - 1) + INTERVAL_MS[interval];
      const number = await findNumber(deviceId);
      const rolledUpUntil = sql`(select rolled_up_until from device_live where device = ${number})`;
      // Minutes are never rolled up.
      const countedUntil = interval === 'minute' ? sql`0` : rolledUpUntil;
      // One statement, so that a roll-up is seen as a whole.
      const { rows } = await sql<BucketRow>`
        select device_id, interval, bucket, ${bucketColumns} from heartbeat_buckets
        where device_id = ${deviceId} and interval = ${interval} and bucket >= ${startMs} and bucket < ${toMs}
        union all
        select ${deviceId}, ${interval}, at / ${lengthMs} * ${lengthMs} as start, ${aggregatesOf(engine)}
        from ${engine.allSamples} as samples where device = ${number} and at >= ${startMs} and at < ${endMs} and at >= ${countedUntil}
          ${engine.onlyKept('samples', sql`at`, rolledUpUntil)}
        group by start`.execute(db);
      return mergeByBucket(rows);
    },
    /** Whether samples of this device are stored; it may be removed. */
    async hasSamples(deviceId: string): Promise<boolean> {
      const { rows } = await sql`select 1 from heartbeat_buckets where device_id = ${deviceId}
        union all select 1 from ${engine.allSamples} as samples where device = ${await findNumber(deviceId)} limit 1`.execute(
        db,
      );
      return rows.length > 0;
    },
    /**
     * Adds samples before `endMs` to the buckets of hours and days, at most 2,000 of some devices after the one numbered
     * `after`; samples since then are taken out of them.
     * Returns the number to continue with; null at the end. Run in a transaction.
     */
    async rollUp(after: number, endMs: number): Promise<number | null> {
      const last = await lastOfBatch(after);
      return last === null ? null : rollUpSome(db, after, last, endMs);
    },
    /**
     * Deletes samples before the timestamp that are rolled up and in no partition, at most 2,000 of some devices; as `rollUp`. Those since
     * `resentSinceMs` may be sent again, and are remembered like late ones.
     */
    async deleteSamplesBefore(
      after: number,
      beforeMs: number,
      resentSinceMs = beforeMs,
    ): Promise<number | null> {
      const last = await lastOfBatch(after);
      if (last !== null) {
        // One range of the primary key for each device.
        const stored = sql.table(engine.outsidePartitions('samples'));
        const { rows } = await sql<{
          device: number;
          at: number;
        }>`delete from ${stored} where (device, at) in (
          select samples.device, samples.at from device_live join ${stored} as samples
            on samples.device = device_live.device and samples.at < case when rolled_up_until < ${beforeMs} then rolled_up_until else ${beforeMs} end
          where device_live.device > ${after} and device_live.device <= ${last} limit ${MAX_DELETED})
          returning device, at`.execute(db);
        const mayReturn = rows.filter(({ at }) => at >= resentSinceMs);
        if (mayReturn.length > 0) {
          await sql`insert into heartbeat_samples (device_id, measured_at, received_at)
            select devices.id, at, at from ${engine.given([
              { name: 'device', type: 'bigint', values: mayReturn.map(({ device }) => device) },
              { name: 'at', type: 'bigint', values: mayReturn.map(({ at }) => at) },
            ])} join devices on devices.number = given.device where true on conflict do nothing`.execute(db);
        }
        if (rows.length === MAX_DELETED) {
          return after;
        }
      }
      return last;
    },
    async deleteBucketsBefore(interval: IntervalName, beforeMs: number): Promise<void> {
      await deleteInBatches(
        db,
        'heartbeat_buckets',
        sql<SqlBool>`interval = ${interval} and bucket < ${beforeMs}`,
      );
    },
    /** Forgets which late samples were received before the timestamp: they would count again. */
    async forgetLateSamples(beforeMs: number): Promise<void> {
      await deleteInBatches(db, 'heartbeat_samples', sql<SqlBool>`received_at < ${beforeMs}`);
    },
  };

  /** The number of the last of the next devices, which are kept as they are; null if there are none. */
  async function lastOfBatch(after: number): Promise<number | null> {
    const { rows } = await sql<{ last: number | null }>`select max(device) as last from
      (select device from device_live where device > ${after} order by device limit ${DEVICES_PER_BATCH}
        ${engine.keepRows('device_live')}) as batch`.execute(db);
    return rows[0]?.last ?? null;
  }
}
