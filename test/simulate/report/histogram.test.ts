import { expect, test } from 'vitest';
import { addTime, addTimes, noTimes, quantileMs } from './histogram.ts';

test('quantiles are at most 5 % too high, also of added histograms', () => {
  const [odd, even] = [noTimes(), noTimes()];
  for (let ms = 1; ms <= 1_000; ms++) {
    addTime(ms % 2 === 0 ? even : odd, ms);
  }
  addTimes(odd, even);
  expect(odd.count).toBe(1_000);
  expect(odd.maxMs).toBe(1_000);
  for (const share of [0.01, 0.5, 0.99, 1]) {
    expect(quantileMs(odd, share)).toBeGreaterThanOrEqual(1_000 * share);
    expect(quantileMs(odd, share)).toBeLessThanOrEqual(1_051 * share);
  }
  expect(quantileMs(noTimes(), 0.5)).toBeNull();
});
