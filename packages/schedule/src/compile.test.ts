import { describe, expect, test } from 'vitest';
import { MANIFEST_DEVICE, makeRule, makeSchedule, makeSet } from '../test/rules.ts';
import { evaluateSchedules } from './evaluate-schedules.ts';
import { compileSchedules } from './compile.ts';
import type { Rule } from './types.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

describe('an invalid rule is never active, has a reason, and does not affect other rules', () => {
  test.each<[Partial<Rule>, string]>([
    [{ start_time: '24:00' }, 'Cannot be used: start_time "24:00" is not a time from 00:00 to 23:59.'],
    [{ end_time: '25:00' }, 'Cannot be used: end_time "25:00" is not a time from 00:00 to 24:00.'],
    [{ starts_on: '2026-02-30' }, 'Cannot be used: starts_on "2026-02-30" is not a date.'],
    [{ ends_on: 'never' }, 'Cannot be used: ends_on "never" is not a date.'],
    [{ end_day_offset: 7 }, 'Cannot be used: end_day_offset 7 is not a whole number from 0 to 6.'],
    [
      { except_dates: ['2026-11-20', 'Christmas'] },
      'Cannot be used: except_dates has "Christmas", which is not a date.',
    ],
    [{ days: null, rrule: null }, 'Cannot be used: the rule has neither days nor an rrule.'],
    [{ days: [] }, 'Cannot be used: the rule has neither days nor an rrule.'],
    [
      { rrule: 'FREQ=HOURLY' },
      'Cannot be used: FREQ=HOURLY is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.',
    ],
    [
      { rrule: 'DTSTART:00010101\nFREQ=DAILY' },
      'Cannot be used: the rule is anchored on 0001-01-01; a rule must start in the years 1970 to 2200.',
    ],
    [{ rrule: 'FREQ=DAILY', created_at: 'once' }, 'Cannot be used: created_at "once" is not an instant.'],
  ])('%j', (fields, reason) => {
    const compiled = compileSchedules(
      makeSet('UTC', makeRule({ ...fields, priority: 9 }), makeRule({ id: 'rule_2' })),
    );
    const answer = evaluateSchedules(compiled, MANIFEST_DEVICE, NOON);
    expect(answer.rule?.id).toBe('rule_2');
    expect(answer.candidates.find(({ rule_id }) => rule_id === 'rule_1')).toMatchObject({
      matches: false,
      wins: false,
      reason,
    });
  });
});

test('a creation date out of range does not affect other rules', () => {
  const last = makeRule({ rrule: 'FREQ=DAILY', created_at: '+275760-09-13T00:00:00.000Z' });
  const compiled = compileSchedules(makeSet('Pacific/Kiritimati', last, makeRule({ id: 'rule_2' })));
  expect(evaluateSchedules(compiled, MANIFEST_DEVICE, NOON).rule).toBeNull();
  expect(evaluateSchedules(compiled, MANIFEST_DEVICE, NOON + 9 * 3_600_000).rule?.id).toBe('rule_2');
});

test('rules beyond the limit per device are not evaluated, and say so', () => {
  const rules = Array.from({ length: 501 }, (_, index) =>
    makeRule({ id: `rule_${index}`, priority: index, days: index === 0 ? ['FRI'] : ['SAT'] }),
  );
  const answer = evaluateSchedules(compileSchedules(makeSet('UTC', ...rules)), MANIFEST_DEVICE, NOON);
  expect(answer.rule).toBeNull();
  expect(answer.candidates.at(-1)).toMatchObject({
    rule_id: 'rule_0',
    matches: false,
    reason: 'Not evaluated: 500 other rules for this device come before it.',
  });
});

test('an empty set always shows the base playlist', () => {
  const answer = evaluateSchedules(
    compileSchedules({ timezone: 'UTC', schedules: [] }),
    MANIFEST_DEVICE,
    NOON,
  );
  expect(answer).toMatchObject({ source: 'deployment', playlist_id: 'pl_base', until: null, candidates: [] });
});

test('an unknown zone is rejected', () => {
  expect(() => compileSchedules({ timezone: 'Mars/Olympus', schedules: [] })).toThrow(RangeError);
});

test('an invalid instant is rejected', () => {
  const compiled = compileSchedules(makeSet('UTC', makeRule()));
  expect(() => evaluateSchedules(compiled, MANIFEST_DEVICE, NaN)).toThrow(RangeError);
});

test('compiling does not change the set, and the result contains the original rule', () => {
  const rule = Object.freeze(makeRule({ rrule: 'FREQ=DAILY;COUNT=9', starts_on: '2026-11-18' }));
  const set = {
    timezone: 'UTC',
    schedules: Object.freeze([Object.freeze(makeSchedule(Object.freeze([rule])))]),
  };
  expect(evaluateSchedules(compileSchedules(set), MANIFEST_DEVICE, NOON).rule).toBe(rule);
});

test('a COUNT ends on the same day in any order of evaluation', () => {
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
    for (const atMs of order) {
      expect(evaluateSchedules(compiled, MANIFEST_DEVICE, atMs).rule !== null).toBe(atMs <= last);
    }
  }
});
