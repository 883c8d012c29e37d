import { describe, expect, test } from 'vitest';
import { clockOffset, latestSample, toDatedSample } from './latest-sample.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const sample = (atMs: number) =>
  toDatedSample({
    measured_at: new Date(atMs).toISOString(),
    cpu_percent: null,
    memory_percent: null,
    disk_percent: null,
    temperature_celsius: null,
    wifi_signal_dbm: null,
  });

test('the latest sample is the one measured last, not the one received last', () => {
  const [old, fresh] = [sample(NOW - 3 * HOUR), sample(NOW - MINUTE)];
  expect(latestSample(null, [], NOW)).toBeNull();
  expect(latestSample(null, [fresh, old], NOW)).toBe(fresh);
  expect(latestSample(fresh.atMs, [old], NOW)).toBeNull();
  expect(latestSample(old.atMs, [fresh], NOW)).toBe(fresh);
});

test('a sample from a clock that was ahead is replaced by the next one', () => {
  const fresh = sample(NOW);
  expect(latestSample(NOW + 5 * HOUR, [fresh], NOW)).toBe(fresh);
});

describe('the clock offset', () => {
  const input = { isPlausible: true, previousSampleMs: null, lastHeartbeatMs: null, nowMs: NOW };

  test('is derived from a fresh, a future or an implausible timestamp', () => {
    expect(clockOffset({ ...input, newestSampleMs: NOW - 400 })).toBe(-400);
    expect(clockOffset({ ...input, newestSampleMs: NOW + 2 * HOUR })).toBe(2 * HOUR);
    expect(clockOffset({ ...input, newestSampleMs: 0, isPlausible: false })).toBe(-NOW);
  });

  test('is unknown when samples were buffered', () => {
    expect(clockOffset({ ...input, newestSampleMs: NOW - 3 * HOUR })).toBeNull();
    const known = { previousSampleMs: NOW - 3 * HOUR, lastHeartbeatMs: NOW - MINUTE };
    expect(clockOffset({ ...input, ...known, newestSampleMs: NOW - 2 * HOUR })).toBeNull();
    expect(
      clockOffset({
        ...input,
        previousSampleMs: NOW - MINUTE,
        lastHeartbeatMs: NOW - MINUTE,
        newestSampleMs: NOW - HOUR,
      }),
    ).toBeNull();
  });

  test('is derived from a second heartbeat that is as far behind as the previous one', () => {
    const known = { previousSampleMs: NOW - 3 * HOUR - MINUTE, lastHeartbeatMs: NOW - MINUTE };
    expect(clockOffset({ ...input, ...known, newestSampleMs: NOW - 3 * HOUR })).toBe(-3 * HOUR);
  });
});
