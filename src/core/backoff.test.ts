import { describe, expect, test } from 'vitest';
import { jitteredRetryAfterMs, backoffMs, jitteredIntervalMs } from './backoff.ts';

const limits = { baseMs: 1_000, capMs: 60_000 };

test('the ceiling doubles with every attempt up to the cap', () => {
  expect([0, 1, 2, 5, 6, 7, 1_000].map((attempt) => backoffMs(attempt, 1, limits))).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test('jitter spreads players over nearly the whole interval, and no player retries at once', () => {
  expect(backoffMs(4, 0, limits)).toBe(1_600);
  expect(backoffMs(4, 0.5, limits)).toBe(8_800);
});

/** How many hundredths of the interval the waits of 10,000 players fall into, and how many are in the fullest one. */
function spread(waitMs: (random: number) => number) {
  const players = 10_000;
  const waits = Array.from({ length: players }, (_, index) => waitMs(index / players));
  const [first, last] = [Math.min(...waits), Math.max(...waits)];
  const countByBucket = new Map<number, number>();
  for (const wait of waits) {
    const bucket = Math.min(99, Math.floor(((wait - first) / (last - first)) * 100));
    countByBucket.set(bucket, (countByBucket.get(bucket) ?? 0) + 1);
  }
  return { first, last, usedBuckets: countByBucket.size, fullestBucket: Math.max(...countByBucket.values()) };
}

describe('thousands of players', () => {
  test('that lost the cloud together reconnect evenly spread over their back-off', () => {
    const { first, last, usedBuckets, fullestBucket } = spread((random) => backoffMs(3, random, limits));
    expect([first, last]).toEqual([800, 7_999]);
    expect(usedBuckets).toBe(100);
    expect(fullestBucket).toBeLessThan(120);
  });

  test('with the same Retry-After come back evenly spread over half of it, none before it', () => {
    const { first, last, usedBuckets, fullestBucket } = spread((random) =>
      jitteredRetryAfterMs(60_000, random),
    );
    expect([first, last]).toEqual([60_000, 89_997]);
    expect(usedBuckets).toBe(100);
    expect(fullestBucket).toBeLessThan(120);
  });
});

test('an interval is kept or shortened by up to 5 %, never lengthened', () => {
  const { first, last, usedBuckets } = spread((random) => jitteredIntervalMs(60_000, random));
  expect([first, last]).toEqual([57_000, 60_000]);
  expect(usedBuckets).toBe(100);
});

test('a Retry-After of 0 does not allow an immediate retry', () => {
  expect(jitteredRetryAfterMs(0, 0)).toBe(5_000);
  expect(jitteredRetryAfterMs(0, 0.5)).toBe(6_250);
});
