import { describe, expect, test } from 'vitest';
import { newRule } from './schedule-draft.ts';
import { drawRule, lengthOf, moveRule, pointAt, resizeRule, sideBySide, timesFor } from './week-geometry.ts';

const rule = newRule('pl_1', 'a', new Date('2026-11-25T08:00:00Z'));

describe('a drawn window', () => {
  test.each([
    ['within a day', [0, 540], [0, 600], 'MON', '09:00', '10:00', 0],
    ['upwards', [0, 600], [0, 540], 'MON', '09:00', '10:00', 0],
    ['until the end of a day', [6, 1380], [6, 1440], 'SUN', '23:00', '24:00', 0],
    ['past midnight', [4, 1320], [5, 120], 'FRI', '22:00', '02:00', 0],
    ['over days', [4, 1080], [6, 1380], 'FRI', '18:00', '23:00', 2],
    ['over whole days', [4, 1080], [5, 1440], 'FRI', '18:00', '24:00', 1],
  ] as const)('%s', (_, [fromDay, from], [toDay, to], day, start, end, offset) => {
    const drawn = drawRule(rule, { day: fromDay, minute: from }, { day: toDay, minute: to });
    expect(drawn).toMatchObject({ days: [day], start_time: start, end_time: end, end_day_offset: offset });
    expect(lengthOf(drawn)).toBe(Math.abs(toDay * 1440 + to - fromDay * 1440 - from));
  });

  test('is never empty', () => {
    expect(lengthOf(drawRule(rule, { day: 2, minute: 60 }, { day: 2, minute: 60 }))).toBe(15);
  });
});

test('every start and length has times that say the same', () => {
  for (let start = 0; start < 1440; start += 45) {
    for (let length = 15; length <= 6 * 1440; length += 225) {
      expect(lengthOf(timesFor(start, length)), `${start} ${length}`).toBe(length);
    }
  }
});

test('a moved rule keeps its length, and its days go around the week', () => {
  const weekend = { ...rule, days: ['SAT', 'SUN'] as const, ...timesFor(1320, 240) };
  const moved = moveRule({ ...weekend, days: ['SAT', 'SUN'] }, 1, -60);
  expect(moved).toMatchObject({ days: ['MON', 'SUN'], start_time: '21:00', end_time: '01:00' });
  expect(moveRule(rule, 0, -5000).start_time).toBe('00:00');
  expect(moveRule({ ...rule, days: null, rrule: 'FREQ=DAILY' }, 3, 15)).toMatchObject({
    days: null,
    start_time: '09:15',
  });
});

test('an edge moves alone and never passes the other', () => {
  expect(resizeRule(rule, 'end', 30)).toMatchObject({ start_time: '09:00', end_time: '10:30' });
  expect(resizeRule(rule, 'start', 30)).toMatchObject({ start_time: '09:30', end_time: '10:00' });
  expect(resizeRule(rule, 'start', 500)).toMatchObject({ start_time: '09:45', end_time: '10:00' });
  expect(resizeRule(rule, 'end', -500)).toMatchObject({ start_time: '09:00', end_time: '09:15' });
});

test('a pointer is at the nearest quarter of an hour, and never outside of the week', () => {
  expect(pointAt(0.5, 0.5)).toEqual({ day: 3, minute: 720 });
  expect(pointAt(1.2, -3)).toEqual({ day: 6, minute: 0 });
  expect(pointAt(0, 608 / 1440)).toEqual({ day: 0, minute: 615 });
});

test('what overlaps is side by side, and what does not is as wide as the day', () => {
  const placed = sideBySide([
    { from: 0, to: 60 },
    { from: 30, to: 90 },
    { from: 60, to: 120 },
    { from: 200, to: 260 },
  ]);
  expect(placed.map(({ column, columns }) => [column, columns])).toEqual([
    [0, 2],
    [1, 2],
    [0, 2],
    [0, 1],
  ]);
});
