import { expect, it } from 'vitest';
import { countdown, dayText, momentText, wallClock } from './time-text.ts';

it.each([
  [900_000, '15:00'],
  [61_000, '1:01'],
  [59_001, '1:00'],
  [1, '0:01'],
  [0, '0:00'],
  [-5_000, '0:00'],
])('counts %i ms down as %s', (ms, text) => {
  expect(countdown(ms)).toBe(text);
});

it('reads the clock in the given zone', () => {
  const at = Date.UTC(2026, 10, 20, 23, 5);
  expect(wallClock(at, 'Europe/Berlin', 'en')).toEqual({
    time: '00:05',
    date: 'Saturday, November 21',
    zone: 'Europe/Berlin',
  });
});

it('falls back to UTC for a zone that it does not know', () => {
  expect(wallClock(Date.UTC(2026, 10, 20, 23, 5), 'Mars/Olympus', 'en')).toMatchObject({
    time: '23:05',
    zone: 'UTC',
  });
});

it('names a day with its year, and a moment without, in the language and the zone', () => {
  const at = Date.UTC(2026, 10, 20, 23, 5);
  expect(dayText(at, 'Europe/Berlin', 'de')).toBe('21. November 2026');
  expect(dayText(at, 'Mars/Olympus', 'en')).toBe('November 20, 2026');
  expect(momentText(at, 'Europe/Berlin', 'en')).toBe('Nov 21, 00:05');
});
