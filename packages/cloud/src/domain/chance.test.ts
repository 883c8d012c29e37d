import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { chanceOfAtLeast, chanceOfSum, ranksOf } from './chance.ts';

test('the binomial tail has the values of tables', () => {
  // R: pbinom(k - 1, n, p, lower.tail = FALSE)
  expect(chanceOfAtLeast(3, 10, 0.2)).toBeCloseTo(0.3222004736, 9);
  expect(chanceOfAtLeast(0, 10, 0.2)).toBe(1);
  expect(chanceOfAtLeast(10, 10, 0.5)).toBeCloseTo(1 / 1024, 12);
  // 1 - (0.99^20 + 20 · 0.01 · 0.99^19)
  expect(chanceOfAtLeast(2, 20, 0.01)).toBeCloseTo(0.016859337, 8);
  expect(chanceOfAtLeast(11, 200, 0.01) / 6.5e-6).toBeGreaterThan(0.5);
  expect(chanceOfAtLeast(11, 200, 0.01) / 6.5e-6).toBeLessThan(2);
});

test('ranks are between 0 and 1, and equal values share theirs', () => {
  expect(ranksOf([30, 10, 20, 20])).toEqual([0.875, 0.125, 0.5, 0.5]);
  expect(ranksOf([])).toEqual([]);
});

test('the bound of two scores of 0 and 1 is that of the binomial distribution', () => {
  // 4 of 4 drawn devices have the score of a tenth of all: exactly 0.1 ^ 4.
  const all = Array.from({ length: 100 }, (_each, index) => (index < 10 ? 1 : 0));
  expect(chanceOfSum([{ all, updated: [1, 1, 1, 1] }])).toBeCloseTo(1e-4, 6);
});

test('nothing is unlikely about equal scores, a low sum, or kinds without devices to compare with', () => {
  expect(chanceOfSum([{ all: [1, 1, 1, 1], updated: [1, 1] }])).toBe(1);
  expect(chanceOfSum([{ all: ranksOf([1, 2, 3, 4, 5, 6, 7, 8]), updated: [0.06, 0.19] }])).toBe(1);
  expect(chanceOfSum([{ all: [0.5, 0.9], updated: [0.5, 0.9] }])).toBe(1);
});

test('of devices drawn at random, no more than a thousandth has a bound of a thousandth', () => {
  const random = createSeededRandom(7);
  let below = 0;
  const runs = 5000;
  for (let run = 0; run < runs; run += 1) {
    // Few devices with many equal and some extreme values: where approximations by the normal distribution fail.
    const values = Array.from({ length: 60 }, () => (random.chance(0.8) ? 0 : random.next() ** -3));
    const ranks = ranksOf(values);
    below += chanceOfSum([{ all: ranks, updated: ranks.slice(0, 5) }]) <= 0.001 ? 1 : 0;
  }
  expect(below / runs).toBeLessThanOrEqual(0.001);
});
