import { createTimeZone } from '@placard/schedule';
import { expect, test } from 'vitest';
import { openSpans } from './opening-hours.ts';
import type { OpeningHours } from './opening-hours.ts';

const ALL_DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
const span = (start_time: string, end_time: string, days: OpeningHours['days'] = ALL_DAYS): OpeningHours => ({
  days,
  start_time,
  end_time,
});
const spansUntil = (hours: readonly OpeningHours[], now: string, zone = 'Europe/Berlin') =>
  [...openSpans(hours, createTimeZone(zone), Date.parse(now))].map(({ started_at, ended_at }) =>
    [started_at, ended_at].map((ms) => new Date(ms).toISOString().replace(':00.000Z', 'Z')),
  );
/** Since when, as an instant; null when it is closed. */
function since(hours: readonly OpeningHours[], now: string, zone?: string): string | null {
  const [[started = '', ended = ''] = []] = spansUntil(hours, now, zone);
  return Date.parse(now) < Date.parse(ended) ? started : null;
}

// 26 November 2026 is a Thursday; Berlin is an hour ahead of UTC.
test.each([
  ['before it opens', [span('09:00', '20:00')], '2026-11-26T07:59:59Z', null],
  ['when it opens', [span('09:00', '20:00')], '2026-11-26T08:00:00Z', '2026-11-26T08:00Z'],
  ['before it closes', [span('09:00', '20:00')], '2026-11-26T18:59:59Z', '2026-11-26T08:00Z'],
  ['when it closes', [span('09:00', '20:00')], '2026-11-26T19:00:00Z', null],
  ['on another day', [span('09:00', '20:00', ['FRI'])], '2026-11-26T12:00:00Z', null],
  ['after midnight', [span('18:00', '02:00', ['WED'])], '2026-11-26T00:30:00Z', '2026-11-25T17:00Z'],
  ['after midnight of another day', [span('18:00', '02:00', ['THU'])], '2026-11-26T00:30:00Z', null],
  ['in the night to Monday', [span('18:00', '02:00', ['SUN'])], '2026-11-22T23:30:00Z', '2026-11-22T23:00Z'],
  ['24 hours', [span('09:00', '09:00', ['WED'])], '2026-11-26T07:00:00Z', '2026-11-25T08:00Z'],
  [
    'spans that meet',
    [span('12:00', '18:00'), span('09:00', '12:00')],
    '2026-11-26T12:00:00Z',
    '2026-11-26T08:00Z',
  ],
  [
    'spans with a break',
    [span('13:00', '18:00'), span('09:00', '12:00')],
    '2026-11-26T13:00:00Z',
    '2026-11-26T12:00Z',
  ],
  [
    'a long span that began before a short one',
    [span('08:00', '20:00'), span('10:00', '11:00')],
    '2026-11-26T12:00:00Z',
    '2026-11-26T07:00Z',
  ],
  ['whole days', [span('00:00', '24:00', ['WED', 'THU'])], '2026-11-26T12:00:00Z', '2026-11-24T23:00Z'],
  ['always', [span('00:00', '24:00')], '2026-11-26T12:00:00Z', '2026-11-22T23:00Z'],
])('%s', (_name, hours, now, expected) => {
  expect(since(hours, now)).toBe(expected);
});

test('the spans of ten weeks follow each other, the newest first', () => {
  const hours = [span('18:00', '02:00', ['SUN']), span('09:00', '12:00', ['MON', 'THU'])];
  const spans = spansUntil(hours, '2026-11-26T09:00:00Z');
  expect(spans.slice(0, 4)).toEqual([
    ['2026-11-26T08:00Z', '2026-11-26T11:00Z'],
    ['2026-11-23T08:00Z', '2026-11-23T11:00Z'],
    // In two, because the week ends between them.
    ['2026-11-22T23:00Z', '2026-11-23T01:00Z'],
    ['2026-11-22T17:00Z', '2026-11-22T23:00Z'],
  ]);
  expect(spans).toHaveLength(3 + 10 * 4);
  expect(spans.at(-1)).toEqual(['2026-09-13T22:00Z', '2026-09-14T00:00Z']);
});

test('the hours are those of the wall clock, also when it is changed', () => {
  const hours = [span('09:00', '20:00')];
  expect(since(hours, '2026-11-26T12:00:00Z', 'America/New_York')).toBe(null);
  expect(since(hours, '2026-11-26T14:30:00Z', 'America/New_York')).toBe('2026-11-26T14:00Z');
  // In the night to Sunday, 25 October, an hour is repeated; in March, one is left out.
  const night = [span('22:00', '10:00')];
  expect(since(night, '2026-10-25T07:00:00Z')).toBe('2026-10-24T20:00Z');
  expect(since([span('02:30', '10:00')], '2026-03-29T01:10:00Z')).toBe('2026-03-29T01:00Z');
});
