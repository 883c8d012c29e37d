import type { AlertRule } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { createCountedTime } from './counted-time.ts';

const HOUR_MS = 3_600_000;
const at = (iso: string) => Date.parse(`2026-11-${iso}:00Z`);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(8, 16));
/** Of each day in Berlin, which is an hour ahead. */
const HOURS: AlertRule['opening_hours'] = [
  { days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'], start_time: '09:00', end_time: '20:00' },
];

function timeAt(now: string, spans = [{ started_at: at('01T00:00'), ended_at: at(now) }]) {
  const counted = createCountedTime();
  const settings = { timezone: 'UTC', findZone: () => null };
  const storeZones = new Map([
    ['berlin', 'Europe/Berlin'],
    ['tokyo', 'Asia/Tokyo'],
  ]);
  return counted(spans, { settings, storeZones }, at(now));
}

test('minutes of several days are added up', () => {
  const time = timeAt('26T09:00')(HOURS);
  // An hour of today, eleven of yesterday, and one of the day before.
  expect(iso(time.startOf('berlin', HOUR_MS))).toBe('26T08:00');
  expect(iso(time.startOf('berlin', 2 * HOUR_MS))).toBe('25T18:00');
  expect(iso(time.startOf('berlin', 13 * HOUR_MS))).toBe('24T18:00');
  expect(iso(time.startOf(null, HOUR_MS)), 'it opens now').toBe('25T19:00');
  expect(time.startOf('tokyo', 0)).not.toBeNull();
  expect(iso(timeAt('26T09:00')(null).startOf('berlin', 13 * HOUR_MS))).toBe('25T20:00');
});

test('nothing is due while it is closed, and nothing that was never open for so long', () => {
  expect(timeAt('26T07:59')(HOURS).startOf('berlin', 0)).toBeNull();
  expect(timeAt('26T09:00')(HOURS).startOf('berlin', 1000 * HOUR_MS)).toBeNull();
});

test('minutes count only while the cloud was running', () => {
  const time = timeAt('26T09:00', [
    { started_at: at('26T08:30'), ended_at: at('26T09:00') },
    { started_at: at('25T18:30'), ended_at: at('26T07:00') },
  ])(HOURS);
  expect(iso(time.startOf('berlin', HOUR_MS / 2))).toBe('26T08:30');
  expect(iso(time.startOf('berlin', HOUR_MS))).toBe('25T18:30');
});

test('what begins outside of the hours begins together with what begins when they do', () => {
  const time = timeAt('26T09:00')(HOURS);
  expect(iso(time.endOf('berlin', at('25T21:00'), HOUR_MS / 2))).toBe('26T08:30');
  expect(iso(time.endOf('berlin', at('25T18:50'), HOUR_MS / 2))).toBe('26T08:20');
});
