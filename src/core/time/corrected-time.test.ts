import { expect, test } from 'vitest';
import { learnServerTime, observeSystemClock, initialTime, wallMsAt } from './corrected-time.ts';

const T2013 = Date.UTC(2013, 0, 1);
const T2026 = Date.UTC(2026, 10, 20);

test('a device that boots in 2013 starts at the last good time and continues from there', () => {
  const state = initialTime(T2013, 1_000, T2026);
  expect(wallMsAt(state, 1_000)).toBe(T2026);
  expect(wallMsAt(state, 61_000)).toBe(T2026 + 60_000);
});

test('without a last good time the system clock is used', () => {
  expect(wallMsAt(initialTime(T2026, 0, null), 500)).toBe(T2026 + 500);
});

test('before a response of the cloud a forward step of the system clock is accepted', () => {
  const state = observeSystemClock(initialTime(T2013, 0, T2026), T2026 + 3_600_000, 1_000);
  expect(wallMsAt(state, 1_000)).toBe(T2026 + 3_600_000);
});

test('a backward step of the system clock is never accepted', () => {
  const state = observeSystemClock(initialTime(T2026, 0, null), T2013, 1_000);
  expect(wallMsAt(state, 1_000)).toBe(T2026 + 1_000);
});

test('drift below the step threshold changes nothing', () => {
  const state = initialTime(T2026, 0, null);
  expect(observeSystemClock(state, T2026 + 1_100, 1_000)).toBe(state);
});

test('once the cloud has sent the time, jumps of the system clock are ignored', () => {
  const state = learnServerTime(initialTime(T2013, 0, null), T2026, 40, T2013, 0);
  expect(wallMsAt(observeSystemClock(state, T2026 + 3_600_000, 1_000), 1_000)).toBe(T2026 + 1_000);
});

test('the estimate moves only as far as the response proves it wrong', () => {
  const right = initialTime(T2026 + 20, 0, null);
  expect(wallMsAt(learnServerTime(right, T2026, 40, 0, 0), 0)).toBe(T2026 + 20);
  const late = initialTime(T2026 + 500, 0, null);
  expect(wallMsAt(learnServerTime(late, T2026, 40, 0, 0), 0)).toBe(T2026 + 40);
  const early = initialTime(T2026 - 500, 0, null);
  expect(wallMsAt(learnServerTime(early, T2026, 40, 0, 0), 0)).toBe(T2026);
});

test('a slow response does not worsen the estimate, and a quick one improves it', () => {
  const good = learnServerTime(initialTime(0, 0, null), T2026, 40, 0, 0);
  expect(wallMsAt(learnServerTime(good, T2026 - 9_000, 20_000, 0, 0), 0)).toBe(T2026);
  const vague = learnServerTime(initialTime(0, 0, null), T2026, 20_000, 0, 0);
  const known = learnServerTime(vague, T2026 + 12_000, 40, 0, 1_000);
  expect(wallMsAt(known, 1_000)).toBe(T2026 + 12_000);
});

test('the cloud may also set the time back', () => {
  const future = initialTime(Date.UTC(2035, 0, 1), 0, null);
  expect(wallMsAt(learnServerTime(future, T2026, 0, 0, 0), 0)).toBe(T2026);
});
