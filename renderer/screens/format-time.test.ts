import { expect, test } from 'vitest';
import { formatCountdown, formatDate, formatDateTime, formatWallClock } from './format-time.ts';

test.each([
  [900_000, '15:00'],
  [61_000, '1:01'],
  [59_001, '1:00'],
  [1, '0:01'],
  [0, '0:00'],
  [-5_000, '0:00'],
])('formats %i ms as %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text);
});

test('reads the clock in the given zone', () => {
  const at = Date.UTC(2026, 10, 20, 23, 5);
  expect(formatWallClock(at, 'Europe/Berlin', 'en')).toEqual({
    time: '00:05',
    date: 'Saturday, November 21',
    zone: 'Europe/Berlin',
  });
});

test('falls back to UTC for an unknown zone', () => {
  expect(formatWallClock(Date.UTC(2026, 10, 20, 23, 5), 'Mars/Olympus', 'en')).toMatchObject({
    time: '23:05',
    zone: 'UTC',
  });
});

test('formats a date with its year, and a date and time without, in the language and the zone', () => {
  const at = Date.UTC(2026, 10, 20, 23, 5);
  expect(formatDate(at, 'Europe/Berlin', 'de')).toBe('21. November 2026');
  expect(formatDate(at, 'Mars/Olympus', 'en')).toBe('November 20, 2026');
  expect(formatDateTime(at, 'Europe/Berlin', 'en')).toBe('Nov 21, 00:05');
});
