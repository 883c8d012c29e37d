import { setImmediate } from 'node:timers/promises';
import type { HeartbeatSample } from '@placard/protocol';
import { beforeEach, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import type { Db } from './open-database.ts';
import { heartbeatRepository } from './heartbeats.ts';

let db: Db;
beforeEach(async () => {
  db = await openTestDb();
});

const BASE = Date.UTC(2026, 0, 1);
const sample = (atMs: number, cpu: number | null): HeartbeatSample => ({
  measured_at: new Date(atMs).toISOString(),
  cpu_percent: cpu,
  memory_percent: null,
  disk_percent: 5,
  temperature_celsius: -3,
  wifi_signal_dbm: null,
});

test('buckets do not depend on how samples are split, ordered or repeated', async () => {
  const heartbeats = heartbeatRepository(db);
  const samples = Array.from({ length: 200 }, (_, i) =>
    sample(BASE + i * 37_000, i % 7 === 0 ? null : i % 50),
  );
  expect(await heartbeats.add('together', samples, 0)).toBe(200);
  const shuffled = samples.toSorted(
    (a, b) => (Date.parse(a.measured_at) % 11) - (Date.parse(b.measured_at) % 11),
  );
  for (let i = 0; i < shuffled.length; i += 13) {
    await heartbeats.add('split', shuffled.slice(i, i + 17), i);
  }
  for (const interval of ['minute', 'hour', 'day'] as const) {
    const of = async (device: string) =>
      (await heartbeats.buckets(device, interval, BASE, BASE + 86_400_000)).map((row) => ({
        ...row,
        device_id: '',
      }));
    expect(await of('split')).toEqual(await of('together'));
  }
  const [day] = await heartbeats.buckets('together', 'day', BASE, BASE + 1);
  const values = samples.flatMap((each) => each.cpu_percent ?? []);
  expect(day).toMatchObject({
    samples: 200,
    cpu_count: values.length,
    cpu_sum: values.reduce((sum, value) => sum + value, 0),
    cpu_min: Math.min(...values),
    cpu_max: Math.max(...values),
    memory_count: 0,
    memory_sum: null,
    memory_min: null,
    temperature_max: -3,
  });
});

test('of two samples with the same timestamp only the first counts', async () => {
  const heartbeats = heartbeatRepository(db);
  expect(await heartbeats.add('d', [sample(BASE, 10), sample(BASE, 90)], 0)).toBe(1);
  expect(await heartbeats.add('d', [], 0)).toBe(0);
  const [minute] = await heartbeats.buckets('d', 'minute', BASE, BASE + 1);
  expect(minute).toMatchObject({ samples: 1, cpu_sum: 10 });
});

test('old buckets are deleted per interval', async () => {
  const heartbeats = heartbeatRepository(db);
  const samples = Array.from({ length: 1500 }, (_, i) => sample(BASE + i * 60_000, 5));
  await heartbeats.add('d', samples, 1000);
  const of = (interval: 'minute' | 'hour') => heartbeats.buckets('d', interval, BASE, BASE + 1500 * 60_000);
  const count = async () => [(await of('minute')).length, (await of('hour')).length];
  await heartbeats.deleteBefore('minute', BASE + 1400 * 60_000);
  expect(await count()).toEqual([100, 25]);
  await heartbeats.deleteSamplesReceivedBefore(1000);
  expect(await heartbeats.add('d', samples.slice(0, 1), 2000)).toBe(0);
  await heartbeats.deleteSamplesReceivedBefore(1001);
  expect(await heartbeats.add('d', samples.slice(0, 1), 2000)).toBe(1);
});

test('a thousand samples of as many hours are added in batches that yield to the event loop', async () => {
  const heartbeats = heartbeatRepository(db);
  const samples = Array.from({ length: 1000 }, (_, i) => sample(BASE + i * 3_600_000, 5));
  const state = { turns: 0, done: false };
  const added = heartbeats.add('d', samples, 0).finally(() => (state.done = true));
  while (!state.done) {
    state.turns += 1;
    await setImmediate();
  }
  expect(await added).toBe(1000);
  expect(state.turns).toBeGreaterThan(8);
  expect(await heartbeats.buckets('d', 'hour', BASE, BASE + 1000 * 3_600_000)).toHaveLength(1000);
});
