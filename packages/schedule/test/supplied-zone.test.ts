import { expect, test } from 'vitest';
import { activeAt, compileSchedules, zoneTransitions } from '../src/index.ts';
import type { ZoneTransitions } from '../src/index.ts';
import { createZone } from '../src/zone.ts';
import { EVERYBODY, makeRule, makeSet } from './rules.ts';

const HOUR_MS = 3_600_000;
const at = (text: string) => Date.parse(text);

/** Berlin as it never was: summer time has been abolished, and in July 2027 the clocks go forward by two hours. */
const MADE_UP: ZoneTransitions = {
  from: '2026-11-21T00:00:00.000Z',
  until: '2028-11-22T00:00:00.000Z',
  offset: 3600,
  transitions: [{ at: '2027-07-01T10:00:00.000Z', offset: 10_800 }],
};

test('supplied clocks go before those of the runtime, as far as they reach', () => {
  const zone = createZone('Europe/Berlin', MADE_UP);
  const hours = (instant: string) => zone.spanAt(at(instant)).offsetMs / HOUR_MS;
  expect([hours('2026-07-01T00:00Z'), hours('2026-11-20T23:59Z')]).toEqual([2, 1]);
  expect([hours('2027-06-01T00:00Z'), hours('2027-07-01T09:59Z'), hours('2027-07-01T10:00Z')]).toEqual([
    1, 1, 3,
  ]);
  expect([hours('2028-11-21T23:59Z'), hours('2028-11-22T00:00Z'), hours('2029-07-01T00:00Z')]).toEqual([
    3, 1, 2,
  ]);
  expect(zone.wallOnce(at('2027-08-01T00:00Z'))).toBe(at('2027-08-01T03:00Z'));
  expect(zone.instantOf(at('2027-07-01T12:00Z'))).toBe(at('2027-07-01T10:00Z'));
});

test('spans lie end to end, also where the supplied ones begin and end', () => {
  const zone = createZone('Europe/Berlin', MADE_UP);
  let span = zone.spanAt(at('2026-01-01T00:00Z'));
  while (span.untilMs < at('2030-01-01T00:00Z')) {
    const next = zone.spanAt(span.untilMs);
    expect(next.fromMs).toBe(span.untilMs);
    span = next;
  }
  for (const edge of [MADE_UP.from, MADE_UP.until])
    for (const step of [-1, 0, 1]) {
      // Asked in another order, so that nothing is remembered.
      const { fromMs, untilMs } = createZone('Europe/Berlin', MADE_UP).spanAt(at(edge) + step);
      expect(fromMs).toBeLessThanOrEqual(at(edge) + step);
      expect(untilMs).toBeGreaterThan(at(edge) + step);
      expect(step < 0 ? untilMs : fromMs).toBe(at(edge));
    }
});

test('a rule follows the supplied clock, and so does the instant of the next change', () => {
  const set = makeSet('Europe/Berlin', makeRule({ start_time: '09:00', end_time: '10:00' }));
  const mine = activeAt(compileSchedules(set), EVERYBODY, at('2027-06-01T00:00Z'));
  const theirs = activeAt(
    compileSchedules({ ...set, zones: { 'Europe/Berlin': MADE_UP } }),
    EVERYBODY,
    at('2027-06-01T00:00Z'),
  );
  expect([mine.until, theirs.until]).toEqual([at('2027-06-01T07:00Z'), at('2027-06-01T08:00Z')]);
});

test('a zone that the runtime does not know is read by what was supplied, before and after it too', () => {
  const zone = createZone('Mars/Olympus', MADE_UP);
  const hours = (instant: string) => zone.spanAt(at(instant)).offsetMs / HOUR_MS;
  expect([hours('2020-01-01T00:00Z'), hours('2027-08-01T00:00Z'), hours('2040-01-01T00:00Z')]).toEqual([
    1, 3, 3,
  ]);
  expect(() => createZone('Mars/Olympus')).toThrow(RangeError);
});

test.each<Partial<ZoneTransitions>>([
  { from: 'yesterday' },
  { until: MADE_UP.from },
  { offset: 90_000 },
  { transitions: [{ at: '2020-01-01T00:00:00.000Z', offset: 0 }] },
])('what makes no sense is not used: %j', (wrong) => {
  const zone = createZone('Europe/Berlin', { ...MADE_UP, ...wrong });
  expect(zone.spanAt(at('2027-08-01T00:00Z')).offsetMs).toBe(2 * HOUR_MS);
});

test.each([
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'UTC',
])('what one runtime hands to another reads the same there: %s', (name) => {
  const [from, until] = [at('2025-12-31T00:00Z'), at('2029-01-01T00:00Z')];
  const told = zoneTransitions(name, from, until);
  const [own, supplied] = [createZone(name), createZone('Mars/Olympus', JSON.parse(JSON.stringify(told)))];
  for (let instant = from; instant < until; instant += HOUR_MS)
    expect(supplied.wallAt(instant), new Date(instant).toISOString()).toBe(own.wallAt(instant));
});
