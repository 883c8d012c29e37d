import { expect, it } from 'vitest';
import { createRestartPace } from './restart-pace.ts';

it('starts what never comes up at once, then slower and slower, at most every 15 s', () => {
  const pace = createRestartPace({ longestAfterWorkMs: 1_000 });
  const waits = Array.from({ length: 8 }, () => pace.next({ aliveMs: 10, cameUp: false }));
  expect(waits).toEqual([0, 500, 1_000, 2_000, 5_000, 15_000, 15_000, 15_000]);
});

it('lets what had come up wait no longer than it may, however often it is killed', () => {
  const pace = createRestartPace({ longestAfterWorkMs: 1_000 });
  const waits = Array.from({ length: 7 }, () => pace.next({ aliveMs: 3_000, cameUp: true }));
  expect(waits).toEqual([0, 500, 1_000, 1_000, 1_000, 1_000, 1_000]);
});

it('forgets old deaths after ten good seconds', () => {
  const pace = createRestartPace({ longestAfterWorkMs: 1_000 });
  for (let i = 0; i < 5; i++) pace.next({ aliveMs: 10, cameUp: true });
  expect(pace.next({ aliveMs: 10_000, cameUp: true })).toBe(0);
});

it('does not take one start that failed among many deaths for a thing that never comes up', () => {
  const pace = createRestartPace({ longestAfterWorkMs: 1_000 });
  for (let i = 0; i < 20; i++) pace.next({ aliveMs: 2_000, cameUp: true });
  expect(pace.next({ aliveMs: 5_000, cameUp: false })).toBe(0);
  expect(pace.next({ aliveMs: 5_000, cameUp: false })).toBe(500);
  pace.next({ aliveMs: 2_000, cameUp: true });
  expect(pace.next({ aliveMs: 5_000, cameUp: false })).toBe(0);
});
