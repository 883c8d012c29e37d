import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

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
