import { expect, test } from 'vitest';
import { countAttempt, NO_ATTEMPTS, pinLockedMs } from './pin-attempts.ts';

const after = (wrong: number, atMs = 0) => {
  let attempts = NO_ATTEMPTS;
  for (let i = 0; i < wrong; i++) attempts = countAttempt(attempts, atMs);
  return attempts;
};

test('three wrong PINs cost nothing, and every further one twice the wait, up to a quarter of an hour', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40].map((wrong) => pinLockedMs(after(wrong), 0));
  expect(waits.map((ms) => ms / 1_000)).toEqual([0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
});

test('the wait passes with the clock', () => {
  expect(pinLockedMs(after(3, 1_000), 11_000)).toBe(20_000);
  expect(pinLockedMs(after(3, 1_000), 31_000)).toBe(0);
});

test('a clock that was set back prolongs no wait', () => {
  expect(pinLockedMs(after(3, 9_000_000), 0)).toBe(30_000);
});
