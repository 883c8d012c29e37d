import { describe, expect, test } from 'vitest';
import { askedWaitMs, backoffMs, intervalKeptMs } from './backoff.ts';

const limits = { baseMs: 1_000, capMs: 60_000 };

test('the ceiling doubles with every attempt up to the cap', () => {
  expect([0, 1, 2, 5, 6, 7, 1_000].map((attempt) => backoffMs(attempt, 1, limits))).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test('chance spreads players over nearly the whole span, and nobody comes at once', () => {
  expect(backoffMs(4, 0, limits)).toBe(1_600);
  expect(backoffMs(4, 0.5, limits)).toBe(8_800);
});

/** In how many of the span's hundredths the waits of 10,000 players lie, and how many share the fullest one. */
function spread(waitMs: (chance: number) => number) {
  const players = 10_000;
  const waits = Array.from({ length: players }, (_, index) => waitMs(index / players));
  const [first, last] = [Math.min(...waits), Math.max(...waits)];
  const shares = new Map<number, number>();
  for (const wait of waits) {
    const share = Math.min(99, Math.floor(((wait - first) / (last - first)) * 100));
    shares.set(share, (shares.get(share) ?? 0) + 1);
  }
  return { first, last, taken: shares.size, fullest: Math.max(...shares.values()) };
}

describe('thousands of players', () => {
  test('that lost the cloud together come back evenly over the span of their back-off', () => {
    const { first, last, taken, fullest } = spread((chance) => backoffMs(3, chance, limits));
    expect([first, last]).toEqual([800, 7_999]);
    expect(taken).toBe(100);
    expect(fullest).toBeLessThan(120);
  });

  test('that were sent away with the same wait come back evenly over half of it, none before it', () => {
    const { first, last, taken, fullest } = spread((chance) => askedWaitMs(60_000, chance));
    expect([first, last]).toEqual([60_000, 89_997]);
    expect(taken).toBe(100);
    expect(fullest).toBeLessThan(120);
  });
});

test('an interval is kept or shortened by up to a twentieth, never made longer', () => {
  const { first, last, taken } = spread((chance) => intervalKeptMs(60_000, chance));
  expect([first, last]).toEqual([57_000, 60_000]);
  expect(taken).toBe(100);
});

test('a wait of nothing is no leave to ask again at once', () => {
  expect(askedWaitMs(0, 0)).toBe(5_000);
  expect(askedWaitMs(0, 0.5)).toBe(6_250);
});
