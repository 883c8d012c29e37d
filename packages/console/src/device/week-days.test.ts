import { expect, test } from 'vitest';
import { daysOf } from './week-days.ts';

test('spans are split at the midnights of the zone of the device', () => {
  const night = { start: '2026-11-25T17:00:00.000Z', end: '2026-11-26T05:00:00.000Z' };
  expect(daysOf([night], 'Europe/Berlin')).toEqual([
    { day: '2026-11-25', parts: [{ segment: night, from: 18 / 24, to: 1 }] },
    { day: '2026-11-26', parts: [{ segment: night, from: 0, to: 6 / 24 }] },
  ]);
});

test('an hour that clocks skip is no part of the day', () => {
  const span = { start: '2026-03-29T00:30:00.000Z', end: '2026-03-29T01:30:00.000Z' };
  expect(daysOf([span], 'Europe/Berlin')).toEqual([
    { day: '2026-03-29', parts: [{ segment: span, from: 1.5 / 24, to: 3.5 / 24 }] },
  ]);
});
