import { expect, test } from 'vitest';
import { devicesDue } from './rollout-pace.ts';

const MINUTE_MS = 60_000;

/** How many devices were told after each minute, when it is asked at intervals. */
function tellFor(minutes: number, fleet: number, intervalMs: number): number[] {
  const counts: number[] = [];
  let told = 0;
  let accountedMs: number | null = null;
  for (let nowMs = MINUTE_MS; nowMs < (minutes + 1) * MINUTE_MS; nowMs += intervalMs) {
    const { count, accountedAfter } = devicesDue(fleet, accountedMs, nowMs);
    if (count > 0) {
      accountedMs = accountedAfter(count);
      told += count;
    }
    counts[Math.floor(nowMs / MINUTE_MS) - 1] = told;
  }
  return counts;
}

test.each([
  [7000, 7],
  [3500, 3.5],
  [1999, 1.999],
  [100_000, 100],
  [30, 1],
])('of %i devices %f are told in a minute, however often it is asked', (fleet, perMinute) => {
  for (const intervalMs of [15_000, 20_000, 7_001]) {
    const counts = tellFor(1000, fleet, intervalMs);
    expect(counts).toHaveLength(1000);
    counts.forEach((told, index) => {
      // In the first minute that of one is told at once.
      expect(told).toBeGreaterThan((index + 1) * perMinute - 1);
      expect(told).toBeLessThanOrEqual((index + 2) * perMinute + 1);
    });
  }
});

test('after a pause no more than two minutes are made up for', () => {
  expect(devicesDue(7000, 0, 600 * MINUTE_MS).count).toBe(14);
});

test('when the clock was set back nobody is due until the time comes again', () => {
  expect(devicesDue(7000, 10 * MINUTE_MS, 9 * MINUTE_MS).count).toBe(0);
  expect(devicesDue(7000, 10 * MINUTE_MS, 11 * MINUTE_MS).count).toBe(7);
});
