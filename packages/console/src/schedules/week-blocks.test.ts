import { expect, test } from 'vitest';
import { newRule } from './schedule-draft.ts';
import { nextDays, placeParts, weekParts } from './week-blocks.ts';
import { instantOf, mondayOf, wallClockOf } from '../i18n/wall-clock.ts';

const at = new Date('2026-11-25T08:00:00Z');
const rule = newRule('pl_1', 'a', at);
const WEEK = '2026-11-23';

test('a window over days is one part a day', () => {
  const blocks = weekParts(
    [{ ...rule, days: ['FRI'], start_time: '18:00', end_time: '23:00', end_day_offset: 2 }],
    WEEK,
  );
  expect(blocks.map(({ day, from, to, opens, ends }) => [day, from, to, opens, ends])).toEqual([
    [4, 1080, 1440, true, false],
    [5, 0, 1440, false, false],
    [6, 0, 1380, false, true],
  ]);
});

test('where rules overlap, the one with the higher priority wins, and both are drawn', () => {
  const low = { ...rule, end_time: '12:00' };
  const high = { ...rule, key: 'b', start_time: '10:00', end_time: '11:00', priority: 5 };
  const blocks = placeParts(weekParts([low, high], WEEK));
  expect(blocks.map((block) => [block.rule.key, block.wins, block.columns])).toEqual([
    [
      'a',
      [
        { from: 540, to: 600 },
        { from: 660, to: 720 },
      ],
      2,
    ],
    ['b', [{ from: 600, to: 660 }], 2],
  ]);
});

test('a rule of another schedule is beside those of this one that it overlaps, and takes nothing from them', () => {
  const own = weekParts([{ ...rule, days: ['MON', 'TUE'] }], WEEK);
  const other = weekParts([{ ...rule, key: 'other', days: ['TUE', 'WED'], priority: 9 }], WEEK, true);
  const blocks = placeParts([...own, ...other]);
  expect(blocks.map(({ day, rule: { key }, columns, isOther }) => [day, key, columns, isOther])).toEqual([
    [0, 'a', 1, false],
    [1, 'a', 2, false],
    [1, 'other', 2, true],
    [2, 'other', 1, true],
  ]);
  expect(blocks[1]?.wins).toEqual([{ from: blocks[1]?.from, to: blocks[1]?.to }]);
});

test('exceptions and recurrences decide on which days a rule opens', () => {
  const fridays = {
    ...rule,
    days: null,
    rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR',
    starts_on: '2026-11-20',
    except_dates: ['2026-12-18'],
  };
  expect(nextDays(fridays, '2026-11-25', 3)).toEqual(['2026-12-04', '2027-01-01', '2027-01-15']);
  expect(weekParts([fridays], WEEK)).toEqual([]);
  expect(weekParts([{ ...fridays, rrule: 'FREQ=FOO' }], WEEK)).toEqual([]);
});

test('times on the clocks of a zone are instants, also around a clock change', () => {
  expect(instantOf('2026-07-01T12:00', 'Europe/Berlin')).toBe('2026-07-01T10:00:00.000Z');
  expect(instantOf('2026-12-24T18:00', 'America/New_York')).toBe('2026-12-24T23:00:00.000Z');
  expect(instantOf('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  expect(instantOf('soon', 'Europe/Berlin')).toBeNull();
  expect(wallClockOf(Date.parse('2026-12-31T23:30:00Z'), 'Europe/Berlin')).toBe('2027-01-01T00:30');
  expect(['2026-11-23', '2026-11-29', '2026-11-30'].map(mondayOf)).toEqual([WEEK, WEEK, '2026-11-30']);
});
