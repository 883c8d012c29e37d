import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import type { HeartbeatSample } from '@placard/protocol';
import { beforeEach, expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { toDatedSample } from '../domain/latest-sample.ts';
import { roundAverage } from '../http/devices/device-status.ts';
import { openTestDb } from '../../test/support/open-test-database.ts';
import type { Db } from './db.ts';
import { heartbeatRepository, INTERVAL_MS } from './heartbeats.ts';
import type { BucketRow, IntervalName } from './heartbeats.ts';
import { deviceRepository } from './devices.ts';
import { MEASURES } from './schema.ts';

const BASE = Date.UTC(2026, 0, 1);
const HOUR = INTERVAL_MS.hour;
const INTERVALS = ['minute', 'hour', 'day'] as const;

let db: Db;
let heartbeats: ReturnType<typeof heartbeatRepository>;
beforeEach(async () => {
  db = await openTestDb();
  heartbeats = heartbeatRepository(db);
});

const sample = (atMs: number, cpu: number | null, more: Partial<HeartbeatSample> = {}): HeartbeatSample => ({
  measured_at: new Date(atMs).toISOString(),
  cpu_percent: cpu,
  memory_percent: null,
  disk_percent: 5,
  temperature_celsius: -3,
  wifi_signal_dbm: null,
  ...more,
});

/** The device as its next heartbeat finds it. */
const current = async (id: string) => {
  const row = await deviceRepository(db).findRow(id);
  if (!row) {
    throw new Error(`no device ${id}`);
  }
  return row;
};
const add = async (id: string, samples: readonly HeartbeatSample[], nowMs: number) =>
  heartbeats.add(await current(id), samples.map(toDatedSample), nowMs);

async function forAll(step: (after: number) => Promise<number | null>): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    after = await step(after);
  }
}
const rollUp = (endMs: number) => forAll((after) => heartbeats.rollUp(after, endMs));

/** Samples that are in buckets of hours and days. */
const countRolledUp = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from samples
    join device_live on device_live.device = samples.device where at < rolled_up_until`.execute(db);
  return rows[0]?.n ?? 0;
};
const isLate = async (id: string, atMs: number) => (await current(id)).rolled_up_until > atMs;

/** Sums of the samples, each instant counted once, as they were before samples had rows of their own. */
function expectedBuckets(samples: readonly HeartbeatSample[], interval: IntervalName) {
  const seen = new Map<number, HeartbeatSample>();
  for (const each of samples) {
    const atMs = Date.parse(each.measured_at);
    if (!seen.has(atMs)) {
      seen.set(atMs, each);
    }
  }
  const byBucket = Map.groupBy(
    seen,
    ([atMs]) => Math.floor(atMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval],
  );
  return [...byBucket]
    .toSorted(([a], [b]) => a - b)
    .map(([bucket, members]) => {
      const valuesOf = (read: (each: HeartbeatSample) => number | null) =>
        members.map(([, each]) => read(each)).filter((value) => value !== null);
      return toFigures(bucket, members.length, [
        valuesOf((each) => each.cpu_percent),
        valuesOf((each) => each.memory_percent),
        valuesOf((each) => each.disk_percent),
        valuesOf((each) => each.temperature_celsius),
        valuesOf((each) => each.wifi_signal_dbm),
      ]);
    });
}

const toFigures = (bucket: number, samples: number, measures: number[][]) => ({
  bucket,
  samples,
  measures: measures.map((values) =>
    values.length === 0
      ? null
      : {
          avg: roundAverage(values.reduce((sum, value) => sum + value, 0) / values.length),
          min: Math.min(...values),
          max: Math.max(...values),
        },
  ),
});
const figuresOf = (row: BucketRow) => ({
  bucket: row.bucket,
  samples: row.samples,
  measures: MEASURES.map((measure) => {
    const sum = row[`${measure}_sum`];
    return sum === null
      ? null
      : {
          avg: roundAverage(sum / row[`${measure}_count`]),
          min: row[`${measure}_min`],
          max: row[`${measure}_max`],
        };
  }),
});

/** Without -0, which is 0 in JSON. */
const anyNumber = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);
const percent = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
  anyNumber(0, 100),
);
const anySample = fc
  .record({
    minute: fc.integer({ min: 0, max: 50 * 60 }),
    cpu: percent,
    memory: percent,
    disk: percent,
    temperature: fc.oneof(fc.constant(null), anyNumber(-100, 250)),
    wifi: fc.oneof(fc.constant(null), fc.integer({ min: -200, max: 0 })),
  })
  .map(({ minute, cpu, memory, disk, temperature, wifi }) =>
    sample(BASE + minute * 60_000, cpu, {
      memory_percent: memory,
      disk_percent: disk,
      temperature_celsius: temperature,
      wifi_signal_dbm: wifi,
    }),
  );

test('buckets do not depend on when samples arrive, on repetitions, or on when they are rolled up', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 3, arbitrary: fc.array(anySample, { maxLength: 20 }) },
          { weight: 1, arbitrary: fc.integer({ min: 0, max: 50 }) },
        ),
        { maxLength: 12 },
      ),
      async (steps) => {
        const id = `dev_${run++}`;
        await insertDevice(db, id, { created_at: BASE });
        const sent: HeartbeatSample[] = [];
        let added = 0;
        for (const step of steps) {
          if (typeof step === 'number') {
            await rollUp(BASE + step * HOUR);
          } else {
            sent.push(...step);
            added += await add(id, step, BASE);
          }
          for (const interval of INTERVALS) {
            const rows = await heartbeats.buckets(id, interval, BASE - 1, BASE + 60 * HOUR);
            expect(rows.map(figuresOf), interval).toEqual(expectedBuckets(sent, interval));
            expect(rows.reduce((sum, row) => sum + row.samples, 0)).toBe(added);
          }
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('of two samples with the same timestamp only the first counts', async () => {
  await insertDevice(db, 'd');
  expect(await add('d', [sample(BASE, 10), sample(BASE, 90)], 0)).toBe(1);
  expect(await add('d', [], 0)).toBe(0);
  const [minute] = await heartbeats.buckets('d', 'minute', BASE, BASE + 1);
  expect(minute).toMatchObject({ samples: 1, cpu_sum: 10 });
});

test('a range covers whole buckets from its start, and none that starts at its end', async () => {
  await insertDevice(db, 'd');
  await add('d', [sample(BASE, 1), sample(BASE + 59_999, 2), sample(BASE + 60_000, 3)], 0);
  const range = await heartbeats.buckets('d', 'minute', BASE + 30_000, BASE + 60_000);
  expect(range.map(({ samples }) => samples)).toEqual([2]);
  const longer = await heartbeats.buckets('d', 'minute', BASE + 30_000, BASE + 60_001);
  expect(longer.map(({ samples }) => samples)).toEqual([2, 1]);
});

test('old samples are deleted once they are rolled up; hours and days stay until their own age', async () => {
  await insertDevice(db, 'd');
  const samples = Array.from({ length: 1500 }, (_, i) => sample(BASE + i * 60_000, 5));
  await add('d', samples, 1000);
  const of = (interval: 'minute' | 'hour') => heartbeats.buckets('d', interval, BASE, BASE + 1500 * 60_000);
  const count = async () => [(await of('minute')).length, (await of('hour')).length];
  const deleteSamples = () => forAll((after) => heartbeats.deleteSamplesBefore(after, BASE + 1400 * 60_000));
  await deleteSamples();
  expect(await count(), 'not rolled up').toEqual([1500, 25]);
  await rollUp(BASE + 25 * HOUR);
  await deleteSamples();
  expect(await count()).toEqual([100, 25]);
  await heartbeats.deleteBucketsBefore('hour', BASE + 20 * HOUR);
  expect(await count()).toEqual([100, 5]);
});

test('a late sample that is sent again counts once, also after its row was deleted', async () => {
  await insertDevice(db, 'd', { created_at: BASE + 10 * 24 * HOUR });
  const late = [sample(BASE, 5)];
  expect(await add('d', late, 1000)).toBe(1);
  await forAll((after) => heartbeats.deleteSamplesBefore(after, BASE + 1));
  await heartbeats.forgetLateSamples(1000);
  expect(await add('d', late, 2000)).toBe(0);
  await heartbeats.forgetLateSamples(1001);
  expect(await add('d', late, 2000)).toBe(1);
});

test('a sample that is sent again counts once, also when minutes are kept for a shorter time', async () => {
  await insertDevice(db, 'd', { created_at: BASE });
  await insertDevice(db, 'e', { created_at: BASE });
  const samples = [sample(BASE, 5), sample(BASE + HOUR, 5)];
  await add('d', samples, BASE);
  await add('e', samples, BASE);
  await rollUp(BASE + 2 * HOUR);
  await forAll((after) => heartbeats.deleteSamplesBefore(after, BASE + 2 * HOUR, BASE + HOUR));
  expect(await heartbeats.buckets('d', 'minute', BASE, BASE + 2 * HOUR)).toEqual([]);
  expect(await add('d', samples.slice(1), BASE + 3 * HOUR)).toBe(0);
  const [day] = await heartbeats.buckets('d', 'day', BASE, BASE + 1);
  expect(day?.samples).toBe(2);
  await heartbeats.forgetLateSamples(BASE + HOUR + 1);
  expect(await db.selectFrom('heartbeat_samples').selectAll().execute()).toEqual([]);
});

test('many old samples are deleted in several transactions', async () => {
  await insertDevice(db, 'd', { created_at: BASE });
  const samples = Array.from({ length: 4500 }, (_, i) => sample(BASE + i * 60_000, 5));
  await add('d', samples, BASE);
  await rollUp(BASE + 100 * HOUR);
  const stored = async () => (await db.selectFrom('samples').select('at').execute()).length;
  const left: number[] = [];
  await forAll(async (after) => {
    const next = await heartbeats.deleteSamplesBefore(after, BASE + 4400 * 60_000);
    left.push(await stored());
    return next;
  });
  expect(left.slice(0, 3)).toEqual([2500, 500, 100]);
  expect(await stored()).toBe(100);
});

test('many samples are rolled up in several transactions, and can be read between them', async () => {
  for (const id of ['a', 'b', 'c']) {
    await insertDevice(db, id, { created_at: BASE });
  }
  const minutely = Array.from({ length: 4600 }, (_, i) => sample(BASE + i * 60_000, i % 100));
  const inOneHour = Array.from({ length: 4500 }, (_, i) => sample(BASE + i * 100, i % 100));
  const sent = { a: minutely.slice(0, 100), b: minutely, c: inOneHour };
  for (const [id, samples] of Object.entries(sent)) {
    await add(id, samples, BASE);
  }
  const read = async () => {
    const found = [];
    for (const id of Object.keys(sent)) {
      for (const interval of ['hour', 'day'] as const) {
        found.push((await heartbeats.buckets(id, interval, BASE, BASE + 100 * HOUR)).map(figuresOf));
      }
    }
    return found;
  };
  const before = await read();
  const steps: number[] = [];
  await forAll(async (after) => {
    const known = await countRolledUp();
    const next = await heartbeats.rollUp(after, BASE + 84 * HOUR);
    steps.push((await countRolledUp()) - known);
    expect(await read()).toEqual(before);
    return next;
  });
  expect(Math.max(...steps)).toBeLessThanOrEqual(2000);
  expect(steps.reduce((sum, step) => sum + step, 0)).toBe(100 + 4600 + 4500);
});

test('samples of a clock that was ahead stay counted once, and those after it are not late for long', async () => {
  await insertDevice(db, 'd', { created_at: BASE });
  const ahead = BASE + 400 * 24 * HOUR;
  await add('d', [sample(BASE, 5), sample(BASE + 2 * HOUR, 7), sample(ahead, 9)], BASE);
  await rollUp(ahead + HOUR);
  expect(await isLate('d', BASE + 3 * HOUR)).toBe(true);
  await add('d', [sample(BASE + 3 * HOUR, 1)], BASE + 3 * HOUR);

  await rollUp(BASE + 3 * HOUR);
  expect(await isLate('d', BASE + 3 * HOUR)).toBe(false);
  const counts = async (interval: IntervalName) =>
    (await heartbeats.buckets('d', interval, BASE, ahead + HOUR)).map((row) => [row.samples, row.cpu_max]);
  const hours = [
    [1, 5],
    [1, 7],
    [1, 1],
    [1, 9],
  ];
  const days = [
    [3, 7],
    [1, 9],
  ];
  expect([await counts('hour'), await counts('day')]).toEqual([hours, days]);
  // All again, and rolled up again.
  expect(await add('d', [sample(BASE, 5), sample(BASE + 3 * HOUR, 1), sample(ahead, 9)], BASE)).toBe(0);
  await rollUp(BASE + 4 * HOUR);
  expect([await counts('hour'), await counts('day')]).toEqual([hours, days]);
});

test('samples that are in buckets only stay there, although the clock was ahead', async () => {
  await insertDevice(db, 'd', { created_at: BASE });
  await add('d', [sample(BASE, 5), sample(BASE + HOUR, 7)], BASE);
  await rollUp(BASE + 2 * HOUR);
  await forAll((after) => heartbeats.deleteSamplesBefore(after, BASE + 2 * HOUR));
  await rollUp(BASE + HOUR);
  const days = await heartbeats.buckets('d', 'day', BASE, BASE + 1);
  expect(days).toMatchObject([{ samples: 2, cpu_sum: 12 }]);
});

test('a day stays whose samples and hours were deleted while the clock was ahead', async () => {
  await insertDevice(db, 'd', { created_at: BASE });
  const ahead = BASE + 400 * 24 * HOUR;
  await add('d', [sample(BASE, 5), sample(BASE + HOUR, 7)], BASE);
  await rollUp(ahead);
  await forAll((after) => heartbeats.deleteSamplesBefore(after, ahead));
  await heartbeats.deleteBucketsBefore('hour', ahead);
  await rollUp(BASE + 2 * HOUR);
  const days = await heartbeats.buckets('d', 'day', BASE, BASE + 1);
  expect(days).toMatchObject([{ samples: 2, cpu_sum: 12 }]);
});

test('the samples of a removed device can be read, and are rolled up and deleted like others', async () => {
  const device = await insertDevice(db, 'd', { created_at: BASE });
  await add('d', [sample(BASE, 5)], BASE);
  await deviceRepository(db).delete(device, BASE);
  const hours = () => heartbeats.buckets('d', 'hour', BASE, BASE + 1);
  const before = await hours();
  expect(before).toMatchObject([{ samples: 1, cpu_sum: 5 }]);
  await rollUp(BASE + HOUR);
  expect(await hours()).toEqual(before);
  await forAll((after) => heartbeats.deleteSamplesBefore(after, BASE + HOUR));
  expect(await hours()).toEqual(before);
  expect(await heartbeats.buckets('d', 'minute', BASE, BASE + 1)).toEqual([]);
  expect(await heartbeats.hasSamples('d')).toBe(true);
  expect(await heartbeats.hasSamples('other')).toBe(false);
});

test('a thousand late samples of as many hours are added in batches that yield to the event loop', async () => {
  await insertDevice(db, 'd', { created_at: BASE + 2000 * HOUR });
  const samples = Array.from({ length: 1000 }, (_, i) => sample(BASE + i * HOUR, 5));
  const state = { turns: 0, done: false };
  const added = add('d', samples, 0).finally(() => (state.done = true));
  while (!state.done) {
    state.turns += 1;
    await setImmediate();
  }
  expect(await added).toBe(1000);
  expect(state.turns).toBeGreaterThan(4);
  expect(await heartbeats.buckets('d', 'hour', BASE, BASE + 1000 * HOUR)).toHaveLength(1000);
});
