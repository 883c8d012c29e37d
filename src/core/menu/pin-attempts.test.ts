import { expect, test } from 'vitest';
import { countAttempt, NO_ATTEMPTS, pinLockRemainingMs } from './pin-attempts.ts';

const attemptsAfter = (wrong: number, atMs = 0) => {
  let attempts = NO_ATTEMPTS;
  for (let i = 0; i < wrong; i++) {
    attempts = countAttempt(attempts, atMs);
  }
  return attempts;
};

test('three wrong PINs cause no wait, each further one doubles it, up to 15 minutes', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40].map((wrong) =>
    pinLockRemainingMs(attemptsAfter(wrong), 0),
  );
  expect(waits.map((ms) => ms / 1_000)).toEqual([0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
});

test('the wait ends as the clock advances', () => {
  expect(pinLockRemainingMs(attemptsAfter(3, 1_000), 11_000)).toBe(20_000);
  expect(pinLockRemainingMs(attemptsAfter(3, 1_000), 31_000)).toBe(0);
});

test('a clock that is set back does not extend the wait', () => {
  expect(pinLockRemainingMs(attemptsAfter(3, 9_000_000), 0)).toBe(30_000);
});
