import { expect, it } from 'vitest';
import { createRestartPace } from './restart-pace.ts';

it('starts at once, then slower and slower, at most every 15 s', () => {
  const pace = createRestartPace();
  const waits = Array.from({ length: 8 }, () => pace.next(10));
  expect(waits).toEqual([0, 500, 1_000, 2_000, 5_000, 15_000, 15_000, 15_000]);
});

it('forgets old failures after ten good seconds', () => {
  const pace = createRestartPace();
  for (let i = 0; i < 5; i++) pace.next(10);
  expect(pace.next(10_000)).toBe(0);
});
