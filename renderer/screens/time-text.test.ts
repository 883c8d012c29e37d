import { expect, it } from 'vitest';
import { countdown, wallClock } from './time-text.ts';

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
