import { expect, test } from 'vitest';
import { waitAfter } from './retry-plan.ts';

test('ten tries over about three days, each wait longer than the one before', () => {
  const waits: number[] = [];
  for (let failed = 1, wait = waitAfter(1); wait !== null; wait = waitAfter(++failed)) waits.push(wait);
  expect(waits).toHaveLength(9);
  expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
  const days = waits.reduce((sum, wait) => sum + wait, 0) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
});
