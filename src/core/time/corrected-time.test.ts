import { expect, test } from 'vitest';
import { learnServerTime, observeSystem, startTime, wallAt } from './corrected-time.ts';

const T2013 = Date.UTC(2013, 0, 1);
const T2026 = Date.UTC(2026, 10, 20);

test('a box that boots in 2013 starts at the last good time and goes on from there', () => {
  const state = startTime(T2013, 1_000, T2026);
  expect(wallAt(state, 1_000)).toBe(T2026);
  expect(wallAt(state, 61_000)).toBe(T2026 + 60_000);
});

test('without a last good time the system clock is the guess', () => {
  expect(wallAt(startTime(T2026, 0, null), 500)).toBe(T2026 + 500);
});

test('a step forward of the system clock is believed before the cloud has spoken', () => {
  const state = observeSystem(startTime(T2013, 0, T2026), T2026 + 3_600_000, 1_000);
  expect(wallAt(state, 1_000)).toBe(T2026 + 3_600_000);
});

test('a step back of the system clock is never believed', () => {
  const state = observeSystem(startTime(T2026, 0, null), T2013, 1_000);
  expect(wallAt(state, 1_000)).toBe(T2026 + 1_000);
});

test('drift below the size of a step leaves the guess alone', () => {
  const state = startTime(T2026, 0, null);
  expect(observeSystem(state, T2026 + 1_100, 1_000)).toBe(state);
});

test('once the cloud has told the time the system clock may jump an hour and nothing moves', () => {
  const state = learnServerTime(startTime(T2013, 0, null), T2026, 40, T2013, 0);
  expect(wallAt(observeSystem(state, T2026 + 3_600_000, 1_000), 1_000)).toBe(T2026 + 1_000);
});

test('the estimate moves only as far as the answer proves it wrong', () => {
  const right = startTime(T2026 + 20, 0, null);
  expect(wallAt(learnServerTime(right, T2026, 40, 0, 0), 0)).toBe(T2026 + 20);
  const late = startTime(T2026 + 500, 0, null);
  expect(wallAt(learnServerTime(late, T2026, 40, 0, 0), 0)).toBe(T2026 + 40);
  const early = startTime(T2026 - 500, 0, null);
  expect(wallAt(learnServerTime(early, T2026, 40, 0, 0), 0)).toBe(T2026);
});

test('a slow answer spoils no good clock, and a quick one mends what a slow one left open', () => {
  const good = learnServerTime(startTime(0, 0, null), T2026, 40, 0, 0);
  expect(wallAt(learnServerTime(good, T2026 - 9_000, 20_000, 0, 0), 0)).toBe(T2026);
  const vague = learnServerTime(startTime(0, 0, null), T2026, 20_000, 0, 0);
  const known = learnServerTime(vague, T2026 + 12_000, 40, 0, 1_000);
  expect(wallAt(known, 1_000)).toBe(T2026 + 12_000);
});

test('the cloud may also set the time back', () => {
  const future = startTime(Date.UTC(2035, 0, 1), 0, null);
  expect(wallAt(learnServerTime(future, T2026, 0, 0, 0), 0)).toBe(T2026);
});
