import { expect, test } from 'vitest';
import { evaluateSchedules, compileSchedules, listZoneTransitions } from '../src/index.ts';
import type { ZoneTransitions } from '../src/index.ts';
import { createTimeZone } from '../src/time-zone.ts';
import { MANIFEST_DEVICE, makeRule, makeSet } from './rules.ts';

const HOUR_MS = 3_600_000;
const at = (text: string) => Date.parse(text);

/** Fictional Berlin: summer time has been abolished, and in July 2027 the clock goes forward by two hours. */
const MADE_UP: ZoneTransitions = {
  from: '2026-11-21T00:00:00.000Z',
  until: '2028-11-22T00:00:00.000Z',
  offset: 3600,
  transitions: [{ at: '2027-07-01T10:00:00.000Z', offset: 10_800 }],
};

test('supplied offsets have precedence over those of the runtime, within their time range', () => {
  const zone = createTimeZone('Europe/Berlin', MADE_UP);
  const hours = (instant: string) => zone.spanAt(at(instant)).offsetMs / HOUR_MS;
  expect([hours('2026-07-01T00:00Z'), hours('2026-11-20T23:59Z')]).toEqual([2, 1]);
  expect([hours('2027-06-01T00:00Z'), hours('2027-07-01T09:59Z'), hours('2027-07-01T10:00Z')]).toEqual([
    1, 1, 3,
  ]);
  expect([hours('2028-11-21T23:59Z'), hours('2028-11-22T00:00Z'), hours('2029-07-01T00:00Z')]).toEqual([
    3, 1, 2,
  ]);
  expect(zone.localTimeAtUncached(at('2027-08-01T00:00Z'))).toBe(at('2027-08-01T03:00Z'));
  expect(zone.firstInstantAt(at('2027-07-01T12:00Z'))).toBe(at('2027-07-01T10:00Z'));
});

test('spans are consecutive, also where the supplied ones begin and end', () => {
  const zone = createTimeZone('Europe/Berlin', MADE_UP);
  let span = zone.spanAt(at('2026-01-01T00:00Z'));
  while (span.untilMs < at('2030-01-01T00:00Z')) {
    const next = zone.spanAt(span.untilMs);
    expect(next.fromMs).toBe(span.untilMs);
    span = next;
  }
  for (const edge of [MADE_UP.from, MADE_UP.until]) {
    for (const step of [-1, 0, 1]) {
      // Queried in another order, so that nothing is cached.
      const { fromMs, untilMs } = createTimeZone('Europe/Berlin', MADE_UP).spanAt(at(edge) + step);
      expect(fromMs).toBeLessThanOrEqual(at(edge) + step);
      expect(untilMs).toBeGreaterThan(at(edge) + step);
      expect(step < 0 ? untilMs : fromMs).toBe(at(edge));
    }
  }
});

test('a rule and its next change follow the supplied offsets', () => {
  const set = makeSet('Europe/Berlin', makeRule({ start_time: '09:00', end_time: '10:00' }));
  const mine = evaluateSchedules(compileSchedules(set), MANIFEST_DEVICE, at('2027-06-01T00:00Z'));
  const theirs = evaluateSchedules(
    compileSchedules({ ...set, zones: { 'Europe/Berlin': MADE_UP } }),
    MANIFEST_DEVICE,
    at('2027-06-01T00:00Z'),
  );
  expect([mine.until, theirs.until]).toEqual([at('2027-06-01T07:00Z'), at('2027-06-01T08:00Z')]);
});

test('a zone unknown to the runtime uses the supplied offsets, also outside their time range', () => {
  const zone = createTimeZone('Mars/Olympus', MADE_UP);
  const hours = (instant: string) => zone.spanAt(at(instant)).offsetMs / HOUR_MS;
  expect([hours('2020-01-01T00:00Z'), hours('2027-08-01T00:00Z'), hours('2040-01-01T00:00Z')]).toEqual([
    1, 3, 3,
  ]);
  expect(() => createTimeZone('Mars/Olympus')).toThrow(RangeError);
});

test.each<Partial<ZoneTransitions>>([
  { from: 'yesterday' },
  { until: MADE_UP.from },
  { offset: 90_000 },
  { transitions: [{ at: '2020-01-01T00:00:00.000Z', offset: 0 }] },
])('invalid transitions are ignored: %j', (wrong) => {
  const zone = createTimeZone('Europe/Berlin', { ...MADE_UP, ...wrong });
  expect(zone.spanAt(at('2027-08-01T00:00Z')).offsetMs).toBe(2 * HOUR_MS);
});

test.each([
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'UTC',
])('listed transitions of one runtime give the same offsets in another: %s', (name) => {
  const [from, until] = [at('2025-12-31T00:00Z'), at('2029-01-01T00:00Z')];
  const told = listZoneTransitions(name, from, until);
  const [own, supplied] = [
    createTimeZone(name),
    createTimeZone('Mars/Olympus', JSON.parse(JSON.stringify(told))),
  ];
  for (let instant = from; instant < until; instant += HOUR_MS) {
    expect(supplied.localTimeAt(instant), new Date(instant).toISOString()).toBe(own.localTimeAt(instant));
  }
});
