import { expect, test } from 'vitest';
import { dayNumber, dayFromNumber, daysInMonth, formatDate, parseDate } from './calendar.ts';

test('every day from 1600 to 2400 agrees with Date', () => {
  let wrong = 0;
  for (let number = dayNumber(1600, 1, 1); number < dayNumber(2400, 12, 31); number++) {
    const day = dayFromNumber(number);
    const date = new Date(number * 86_400_000);
    const same =
      day.year === date.getUTCFullYear() &&
      day.month === date.getUTCMonth() + 1 &&
      day.dayOfMonth === date.getUTCDate() &&
      day.weekday === (date.getUTCDay() + 6) % 7 &&
      daysInMonth(day.year, day.month) === new Date(Date.UTC(day.year, day.month, 0)).getUTCDate() &&
      dayNumber(day.year, day.month, day.dayOfMonth) === number;
    if (!same) {
      wrong++;
    }
  }
  expect(wrong).toBe(0);
});

test('dates are parsed and formatted as YYYY-MM-DD; invalid dates are rejected', () => {
  expect(formatDate(parseDate('2028-02-29')!)).toBe('2028-02-29');
  expect(formatDate(parseDate('0800-01-01')!)).toBe('0800-01-01');
  for (const text of [
    '2026-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00Z',
    '',
  ]) {
    expect(parseDate(text)).toBeNull();
  }
});
