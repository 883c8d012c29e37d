import { expect, it } from 'vitest';
import { createCrashLoop } from './crash-loop.ts';

const MINUTE_MS = 60_000;

it('begins safe mode with the fifth death within ten minutes', () => {
  const loop = createCrashLoop();
  const begins = [0, 2, 4, 6, 8].map((minute) => loop.died(minute * MINUTE_MS));
  expect(begins).toEqual([false, false, false, false, true]);
  expect(loop.safeMode).toBe(true);
});

it('takes deaths that lie far apart for accidents', () => {
  const loop = createCrashLoop();
  for (let minute = 0; minute < 600; minute += 3) expect(loop.died(minute * MINUTE_MS)).toBe(false);
  expect(loop.safeMode).toBe(false);
});

it('may leave an hour after the last death, and counts anew afterwards', () => {
  const loop = createCrashLoop();
  for (let death = 0; death < 5; death++) loop.died(0);
  expect(loop.calmAtMs).toBe(60 * MINUTE_MS);
  expect(loop.died(30 * MINUTE_MS)).toBe(false);
  expect(loop.calmAtMs).toBe(90 * MINUTE_MS);
  loop.leave();
  expect([loop.safeMode, loop.calmAtMs]).toEqual([false, null]);
  expect(loop.died(91 * MINUTE_MS)).toBe(false);
});

it('can begin in safe mode, where the start before ended', () => {
  const loop = createCrashLoop({ atMs: 1_000 });
  expect([loop.safeMode, loop.calmAtMs]).toEqual([true, 60 * MINUTE_MS + 1_000]);
});
