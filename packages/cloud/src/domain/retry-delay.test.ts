import { expect, test } from 'vitest';
import { retryDelayMs } from './retry-delay.ts';

test('ten attempts over about three days, each delay longer than the previous one', () => {
  const waits: number[] = [];
  for (let failed = 1, wait = retryDelayMs(1); wait !== null; wait = retryDelayMs(++failed)) {
    waits.push(wait);
  }
  expect(waits).toHaveLength(9);
  expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
  const days = waits.reduce((sum, wait) => sum + wait, 0) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
});
