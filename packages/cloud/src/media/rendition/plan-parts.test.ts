import { expect, test } from 'vitest';
import { splitFrames } from './plan-parts.ts';

/** One frame a second, with these as key frames. */
const split = (seconds: number, keys: readonly number[], step = 1) =>
  splitFrames(
    Array.from({ length: seconds }, (_, index) => index),
    new Set(keys),
    step,
  );

test('a part begins at the first key frame after 30 seconds, and the last one has the rest', () => {
  expect(split(100, [0, 10, 29, 31, 40, 60, 61, 99])).toEqual([
    { start: 0, end: 31, frames: 31 },
    { start: 31, end: 61, frames: 30 },
    { start: 61, end: 99, frames: 38 },
    { start: 99, end: Infinity, frames: 1 },
  ]);
  expect(split(90, [0]), 'no other key frame').toEqual([{ start: 0, end: Infinity, frames: 90 }]);
  expect(split(1, [0])).toEqual([{ start: 0, end: Infinity, frames: 1 }]);
  expect(split(0, [])).toEqual([]);
});

test('where frames are left out, each part begins with one that stays', () => {
  expect(split(100, [0, 31, 40, 71, 81, 90], 2)).toEqual([
    { start: 0, end: 40, frames: 40 },
    { start: 40, end: 90, frames: 50 },
    { start: 90, end: Infinity, frames: 10 },
  ]);
});
