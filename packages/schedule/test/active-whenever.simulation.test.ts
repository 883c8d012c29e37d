import { expect, test } from 'vitest';
import { compileSchedules, evaluateSchedules, isActiveWhenever } from '../src/index.ts';
import type { Rule } from '../src/index.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { isoDay, randomRule } from './brute-force/random-rule.ts';
import { EVERY_DAY, MANIFEST_DEVICE, makeRule, makeSet } from './rules.ts';

const DAY = 20_600;
const DAY_MS = 86_400_000;
const NOW_MS = DAY * DAY_MS;
const ZONES = ['America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'America/St_Johns', 'UTC'];

/** Whether the lower rule ever wins in the next 100 days, in a zone. */
function everWins(upper: Rule, lower: Rule, timezone: string): boolean {
  const rules = [
    { ...upper, id: 'upper', priority: 1 },
    { ...lower, id: 'lower', priority: 0 },
  ];
  const compiled = compileSchedules({ ...makeSet(timezone, ...rules), local_timezone: 'Asia/Tokyo' });
  for (let atMs = NOW_MS; atMs < NOW_MS + 100 * DAY_MS;) {
    const { rule, until } = evaluateSchedules(compiled, MANIFEST_DEVICE, atMs);
    if (rule?.id === 'lower') {
      return true;
    }
    atMs = until ?? Infinity;
  }
  return false;
}

test('a rule that is said to be covered never wins, in any zone', () => {
  const random = createSeededRandom(20_261_125);
  let covered = 0;
  for (let pair = 0; pair < 4000; pair++) {
    const lower = randomRule(random, 'lower', DAY + random.int(0, 50)).rule;
    const other = randomRule(random, 'upper', DAY + random.int(0, 50)).rule;
    // Most random rules have nothing in common: some share what has to be the same or is easily wide enough.
    const upper: Rule = {
      ...(random.chance(0.3) ? { ...lower, start_time: other.start_time, end_time: other.end_time } : other),
      local_time: random.chance(0.9) ? lower.local_time : !lower.local_time,
      ...(random.chance(0.4) ? { days: EVERY_DAY, rrule: null } : {}),
      ...(random.chance(0.4) ? { end_day_offset: random.int(1, 6) } : {}),
      ...(random.chance(0.4) ? { except_dates: [isoDay(DAY + random.int(-20, 60))] } : {}),
      ...(random.chance(0.6) ? { starts_on: isoDay(DAY - random.int(-20, 20)) } : {}),
    };
    if (!isActiveWhenever(upper, lower, NOW_MS)) {
      continue;
    }
    covered += 1;
    const timezone = random.pick(ZONES);
    expect(everWins(upper, lower, timezone), JSON.stringify({ upper, lower, timezone })).toBe(false);
  }
  expect(covered).toBeGreaterThan(300);
}, 120_000);

const is = (upper: Partial<Rule>, lower: Partial<Rule>) =>
  isActiveWhenever(makeRule(upper), makeRule(lower), NOW_MS);
const shop = { start_time: '09:00', end_time: '17:00' };
const lunch = { start_time: '12:00', end_time: '13:00' };
const today = isoDay(DAY);
const nextYear = isoDay(DAY + 365);

test.each<[string, Partial<Rule>, Partial<Rule>]>([
  ['the same times', shop, shop],
  ['a window within a longer one', shop, lunch],
  ['some of its days', shop, { ...lunch, days: ['MON', 'FRI'] }],
  ['a recurrence within every day', shop, { ...lunch, rrule: 'FREQ=MONTHLY;BYDAY=-1FR' }],
  [
    'a recurrence on its weekdays',
    { ...shop, days: ['FRI'] },
    { ...lunch, rrule: 'FREQ=MONTHLY;BYDAY=-1FR' },
  ],
  [
    'the same recurrence for shorter',
    { ...shop, rrule: 'FREQ=DAILY;INTERVAL=3', starts_on: today },
    { ...lunch, rrule: 'FREQ=DAILY;INTERVAL=3', starts_on: today },
  ],
  [
    'a night within all days',
    { start_time: '00:00', end_time: '24:00' },
    { start_time: '22:00', end_time: '06:00' },
  ],
  [
    'a weekend within windows that overlap',
    { days: ['FRI', 'SUN'], start_time: '12:00', end_time: '14:00', end_day_offset: 2 },
    { days: ['SAT'], start_time: '09:00', end_time: '10:00', end_day_offset: 2 },
  ],
  ['a rule that began long ago', { ...shop, starts_on: isoDay(DAY - 30) }, lunch],
  ['a shorter season', { ...shop, ends_on: nextYear }, { ...lunch, ends_on: isoDay(DAY + 364) }],
  [
    'an UNTIL before its end',
    { ...shop, ends_on: nextYear },
    { ...lunch, rrule: `FREQ=DAILY;UNTIL=20270101` },
  ],
  ['an exception of both', { ...shop, except_dates: [nextYear] }, { ...lunch, except_dates: [nextYear] }],
  ['an exception in the past', { ...shop, except_dates: [isoDay(DAY - 60)] }, lunch],
])('is covered: %s', (_name, upper, lower) => {
  expect(is(upper, lower)).toBe(true);
});

test.each<[string, Partial<Rule>, Partial<Rule>]>([
  ['a window that ends later', lunch, shop],
  ['another day', { ...shop, days: ['MON'] }, { ...lunch, days: ['MON', 'TUE'] }],
  ['an exception of the upper rule', { ...shop, except_dates: [nextYear] }, lunch],
  ['a rule that begins later', { ...shop, starts_on: isoDay(DAY + 30) }, lunch],
  ['a rule that ends earlier', { ...shop, ends_on: nextYear }, lunch],
  [
    'a night that needs the window of the day before the first',
    { start_time: '00:00', end_time: '24:00', ends_on: today },
    { start_time: '22:00', end_time: '06:00', ends_on: today },
  ],
  ['another clock', { ...shop, local_time: true }, lunch],
  [
    'a recurrence of another day',
    { ...shop, rrule: 'FREQ=DAILY;INTERVAL=3', starts_on: today },
    { ...lunch, rrule: 'FREQ=DAILY;INTERVAL=3' },
  ],
  ['an invalid rule', { start_time: 'noon' }, lunch],
])('is not covered: %s', (_name, upper, lower) => {
  expect(is(upper, lower)).toBe(false);
});
