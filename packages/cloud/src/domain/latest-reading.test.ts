import { describe, expect, test } from 'vitest';
import { clockOffset, latestReading } from './latest-reading.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const sample = (atMs: number) => ({
  measured_at: new Date(atMs).toISOString(),
  cpu_percent: null,
  memory_percent: null,
  disk_percent: null,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});

test('the latest reading is the one measured last, whichever came last', () => {
  const [old, fresh] = [sample(NOW - 3 * HOUR), sample(NOW - MINUTE)];
  expect(latestReading(null, [], NOW)).toBeNull();
  expect(latestReading(null, [fresh, old], NOW)).toBe(fresh);
  expect(latestReading(fresh, [old], NOW)).toBe(fresh);
  expect(latestReading(old, [fresh], NOW)).toBe(fresh);
});

test('a reading from a clock that was ahead gives way to the next one', () => {
  const fresh = sample(NOW);
  expect(latestReading(sample(NOW + 5 * HOUR), [fresh], NOW)).toBe(fresh);
});

describe('the offset of a clock', () => {
  const facts = { plausible: true, heldMs: null, lastHeartbeatMs: null, nowMs: NOW };

  test('is told by a fresh reading, one from ahead, and one that cannot be', () => {
    expect(clockOffset({ ...facts, newestMs: NOW - 400 })).toBe(-400);
    expect(clockOffset({ ...facts, newestMs: NOW + 2 * HOUR })).toBe(2 * HOUR);
    expect(clockOffset({ ...facts, newestMs: 0, plausible: false })).toBe(-NOW);
  });

  test('is not told by readings that waited', () => {
    expect(clockOffset({ ...facts, newestMs: NOW - 3 * HOUR })).toBeNull();
    const known = { heldMs: NOW - 3 * HOUR, lastHeartbeatMs: NOW - MINUTE };
    expect(clockOffset({ ...facts, ...known, newestMs: NOW - 2 * HOUR })).toBeNull();
    expect(
      clockOffset({ ...facts, heldMs: NOW - MINUTE, lastHeartbeatMs: NOW - MINUTE, newestMs: NOW - HOUR }),
    ).toBeNull();
  });

  test('is told by a second heartbeat that is as far behind as the one before', () => {
    const known = { heldMs: NOW - 3 * HOUR - MINUTE, lastHeartbeatMs: NOW - MINUTE };
    expect(clockOffset({ ...facts, ...known, newestMs: NOW - 3 * HOUR })).toBe(-3 * HOUR);
  });
});
