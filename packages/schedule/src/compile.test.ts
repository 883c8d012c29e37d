import { describe, expect, test } from 'vitest';
import { EVERYBODY, makeRule, makeSchedule, makeSet } from '../test/rules.ts';
import { activeAt } from './active-at.ts';
import { compileSchedules } from './compile.ts';
import type { Rule } from './types.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

describe('a rule that cannot be read is never active, says why, and stops no other', () => {
  test.each<[Partial<Rule>, string]>([
    [{ start_time: '24:00' }, 'Cannot be used: start_time "24:00" is not a time from 00:00 to 23:59.'],
    [{ end_time: '25:00' }, 'Cannot be used: end_time "25:00" is not a time from 00:00 to 24:00.'],
    [{ starts_on: '2026-02-30' }, 'Cannot be used: starts_on "2026-02-30" is not a date.'],
    [{ ends_on: 'never' }, 'Cannot be used: ends_on "never" is not a date.'],
    [{ days: null, rrule: null }, 'Cannot be used: It has neither days nor an rrule.'],
    [{ days: [] }, 'Cannot be used: It has neither days nor an rrule.'],
    [
      { rrule: 'FREQ=HOURLY' },
      'Cannot be used: FREQ=HOURLY is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.',
    ],
    [
      { rrule: 'DTSTART:00010101\nFREQ=DAILY' },
      'Cannot be used: It is anchored on 0001-01-01; a rule begins in the years 1970 to 2200.',
    ],
    [{ rrule: 'FREQ=DAILY', created_at: 'once' }, 'Cannot be used: created_at "once" is not an instant.'],
  ])('%j', (fields, reason) => {
    const compiled = compileSchedules(
      makeSet('UTC', makeRule({ ...fields, priority: 9 }), makeRule({ id: 'rule_2' })),
    );
    const answer = activeAt(compiled, EVERYBODY, NOON);
    expect(answer.rule?.id).toBe('rule_2');
    expect(answer.candidates.find(({ rule_id }) => rule_id === 'rule_1')).toMatchObject({
      matches: false,
      wins: false,
      reason,
    });
  });
});

test('a day of creation at the end of all time stops no other rule', () => {
  const last = makeRule({ rrule: 'FREQ=DAILY', created_at: '+275760-09-13T00:00:00.000Z' });
  const compiled = compileSchedules(makeSet('Pacific/Kiritimati', last, makeRule({ id: 'rule_2' })));
  expect(activeAt(compiled, EVERYBODY, NOON).rule).toBeNull();
  expect(activeAt(compiled, EVERYBODY, NOON + 9 * 3_600_000).rule?.id).toBe('rule_2');
});

test('of more rules than are looked at, those that come first are, and the others say so', () => {
  const rules = Array.from({ length: 501 }, (_, index) =>
    makeRule({ id: `rule_${index}`, priority: index, days: index === 0 ? ['FRI'] : ['SAT'] }),
  );
  const answer = activeAt(compileSchedules(makeSet('UTC', ...rules)), EVERYBODY, NOON);
  expect(answer.rule).toBeNull();
  expect(answer.candidates.at(-1)).toMatchObject({
    rule_id: 'rule_0',
    matches: false,
    reason: 'Not looked at: 500 other rules that reach this device come before it.',
  });
});

test('an empty set shows the base playlist for ever', () => {
  const answer = activeAt(compileSchedules({ timezone: 'UTC', schedules: [] }), EVERYBODY, NOON);
  expect(answer).toMatchObject({ source: 'deployment', playlist_id: 'pl_base', until: null, candidates: [] });
});

test('an unknown zone is refused', () => {
  expect(() => compileSchedules({ timezone: 'Mars/Olympus', schedules: [] })).toThrow(RangeError);
});

test('an instant that is none is refused', () => {
  const compiled = compileSchedules(makeSet('UTC', makeRule()));
  expect(() => activeAt(compiled, EVERYBODY, NaN)).toThrow(RangeError);
});

test('compiling leaves the set untouched, and the answer hands the rule over as it was given', () => {
  const rule = Object.freeze(makeRule({ rrule: 'FREQ=DAILY;COUNT=9', starts_on: '2026-11-18' }));
  const set = {
    timezone: 'UTC',
    schedules: Object.freeze([Object.freeze(makeSchedule(Object.freeze([rule])))]),
  };
  expect(activeAt(compileSchedules(set), EVERYBODY, NOON).rule).toBe(rule);
});

test('a COUNT ends alike whether asked day by day, backwards, or from far away', () => {
  const rule = makeRule({ rrule: 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=300', starts_on: '2020-01-01' });
  const last = Date.parse('2021-02-23T12:00Z');
  const dayMs = 86_400_000;
  const orders = [
    [last - dayMs, last, last + dayMs],
    [last + 2000 * dayMs, last + dayMs, last, last - dayMs],
    [last, last + dayMs],
  ];
  for (const order of orders) {
    const compiled = compileSchedules(makeSet('UTC', rule));
    for (const atMs of order) expect(activeAt(compiled, EVERYBODY, atMs).rule !== null).toBe(atMs <= last);
  }
});
