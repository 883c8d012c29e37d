import { describe, expect, test } from 'vitest';
import { checkRule } from './check-rule.ts';
import type { RuleInput } from './check-rule.ts';

const VALID_RULE: RuleInput = { start_time: '09:00', end_time: '17:00', days: ['MON'] };
const circular: Record<string, unknown> = {};
circular['self'] = circular;
const recurring = (rrule: unknown, more: RuleInput = {}): RuleInput => ({
  start_time: '09:00',
  end_time: '17:00',
  rrule,
  ...more,
});

describe('a valid rule has no errors and no warnings', () => {
  test.each<[string, RuleInput]>([
    ['weekly', VALID_RULE],
    ['to the end of the day', { ...VALID_RULE, end_time: '24:00' }],
    ['overnight', { ...VALID_RULE, start_time: '22:00', end_time: '02:00' }],
    ['round the clock', { ...VALID_RULE, end_time: '09:00' }],
    [
      'with everything',
      { ...VALID_RULE, priority: 1000, end_day_offset: 6, local_time: true, except_dates: ['2028-03-06'] },
    ],
    ['on one day', { ...VALID_RULE, starts_on: '2028-02-29', ends_on: '2028-02-29', days: ['TUE'] }],
    [
      'with nulls for omitted fields',
      { ...VALID_RULE, rrule: null, priority: undefined, starts_on: null, ends_on: null },
    ],
    ['by rrule', recurring('FREQ=MONTHLY;BYDAY=-1FR')],
    [
      'by rrule with exceptions',
      recurring('RRULE:FREQ=DAILY\nEXDATE:20261224, 20261225\nEXDATE;VALUE=DATE:20270101'),
    ],
    ['by rrule with an anchor', recurring('DTSTART:20260101\nRRULE:FREQ=DAILY;COUNT=3')],
    ['by rrule with the far-future UNTIL of some calendars', recurring('FREQ=DAILY;UNTIL=99991231T235959Z')],
  ])('%s', (_name, rule) => {
    expect(checkRule(rule)).toEqual({ errors: [], warnings: [] });
  });
});

describe('an error names the field, what is wrong and what to do', () => {
  test.each<[RuleInput, string, string]>([
    [
      { ...VALID_RULE, start_time: '9:00' },
      'start_time',
      '"9:00" is not a start time; write HH:MM from 00:00 to 23:59.',
    ],
    [
      { ...VALID_RULE, start_time: '24:00' },
      'start_time',
      '"24:00" is not a start time; write HH:MM from 00:00 to 23:59.',
    ],
    [{ ...VALID_RULE, start_time: undefined }, 'start_time', 'Missing; write HH:MM from 00:00 to 23:59.'],
    [
      { ...VALID_RULE, end_time: '24:01' },
      'end_time',
      '"24:01" is not an end time; write HH:MM from 00:00 to 24:00.',
    ],
    [
      { ...VALID_RULE, end_time: '17:60' },
      'end_time',
      '"17:60" is not an end time; write HH:MM from 00:00 to 24:00.',
    ],
    [{ ...VALID_RULE, end_time: 17 }, 'end_time', '17 is not an end time; write HH:MM from 00:00 to 24:00.'],
    [
      { ...VALID_RULE, priority: 1001 },
      'priority',
      '1001 is not a priority; give a whole number from 0 to 1000.',
    ],
    [
      { ...VALID_RULE, priority: 1.5 },
      'priority',
      '1.5 is not a priority; give a whole number from 0 to 1000.',
    ],
    [
      { ...VALID_RULE, priority: '1' },
      'priority',
      '"1" is not a priority; give a whole number from 0 to 1000.',
    ],
    [
      { ...VALID_RULE, starts_on: '2026-02-29' },
      'starts_on',
      '"2026-02-29" is not a date; write YYYY-MM-DD, a day that exists.',
    ],
    [
      { ...VALID_RULE, ends_on: '31.12.2026' },
      'ends_on',
      '"31.12.2026" is not a date; write YYYY-MM-DD, a day that exists.',
    ],
    [
      { ...VALID_RULE, starts_on: '2026-12-02', ends_on: '2026-12-01' },
      'ends_on',
      'ends_on is before starts_on; swap them or leave one out.',
    ],
    [
      { ...VALID_RULE, end_day_offset: 7 },
      'end_day_offset',
      '7 is not a number of days; give a whole number from 0 to 6.',
    ],
    [
      { ...VALID_RULE, end_day_offset: '1' },
      'end_day_offset',
      '"1" is not a number of days; give a whole number from 0 to 6.',
    ],
    [{ ...VALID_RULE, local_time: 1 }, 'local_time', '1 is not true or false; give true or false.'],
    [
      { ...VALID_RULE, except_dates: '2026-12-25' },
      'except_dates',
      '"2026-12-25" is not a list of dates; give at most 366.',
    ],
    [
      { ...VALID_RULE, except_dates: Array.from({ length: 367 }, () => '2026-12-25') },
      'except_dates',
      '367 dates are too many; give at most 366.',
    ],
    [
      { ...VALID_RULE, except_dates: ['2026-12-25', '2026-02-30'] },
      'except_dates.1',
      '"2026-02-30" is not a date; write YYYY-MM-DD, a day that exists.',
    ],
    [
      { ...VALID_RULE, days: [] },
      'days',
      '[] is not a list of days; give at least one of MON, TUE, WED, THU, FRI, SAT, SUN.',
    ],
    [
      { ...VALID_RULE, days: 'MON' },
      'days',
      '"MON" is not a list of days; give at least one of MON, TUE, WED, THU, FRI, SAT, SUN.',
    ],
    [
      { ...VALID_RULE, days: ['MON', 'Monday'] },
      'days.1',
      '"Monday" is not a day; use MON, TUE, WED, THU, FRI, SAT, SUN.',
    ],
    [{ ...VALID_RULE, days: undefined }, 'days', 'Give days, such as ["MON", "FRI"], or an rrule.'],
    [{ ...VALID_RULE, rrule: 'FREQ=DAILY' }, 'rrule', 'Give days or rrule, not both; leave one out.'],
    [recurring(7), 'rrule', '7 is not a recurrence rule; write a text such as FREQ=WEEKLY;BYDAY=MO.'],
    [
      { ...VALID_RULE, days: 'x'.repeat(99) },
      'days',
      `"${'x'.repeat(39)}… is not a list of days; give at least one of MON, TUE, WED, THU, FRI, SAT, SUN.`,
    ],
  ])('%j', (rule, path, message) => {
    expect(checkRule(rule).errors).toEqual([{ path, message }]);
  });

  test.each<[unknown, string]>([
    [10n, '10 is not a list of days'],
    [circular, 'An object is not a list of days'],
    [Object.create(null), 'An object is not a list of days'],
    [[], '[] is not a list of days'],
    [() => 1, 'A function is not a list of days'],
    [Symbol('MON'), 'Symbol(MON) is not a list of days'],
  ])('any type of value in a field (%#)', (days, start) => {
    const { errors } = checkRule({ ...VALID_RULE, days });
    expect(errors).toEqual([{ path: 'days', message: expect.stringContaining(`${start}; give`) }]);
  });

  test('a list with holes', () => {
    const days = ['MON'];
    days.length = 2;
    expect(checkRule({ ...VALID_RULE, days }).errors.map(({ path }) => path)).toEqual(['days.1']);
  });

  test.each([null, undefined, 'FREQ=DAILY', 7, [[]]])('%j in place of a rule', (input) => {
    expect(checkRule(input).errors).toEqual([
      { path: '', message: 'A rule is an object with start_time, end_time and days or rrule.' },
    ]);
  });

  test('all problems are reported, not only the first', () => {
    const { errors } = checkRule({
      start_time: 'noon',
      end_time: '',
      days: ['MO', 'TUE', 3],
      priority: -1,
      starts_on: 'today',
    });
    expect(errors.map(({ path }) => path)).toEqual([
      'start_time',
      'end_time',
      'priority',
      'starts_on',
      'days.0',
      'days.2',
    ]);
  });
});

describe('an error in an rrule names the part', () => {
  test('at most ten problems are reported', () => {
    for (const text of ['A;', 'A=1;', 'RRULE:A\n'].map((part) => part.repeat(200))) {
      expect(checkRule(recurring(text)).errors.length, text.slice(0, 8)).toBeLessThanOrEqual(10);
    }
  });

  test.each<[string, string]>([
    ['', 'There is no RRULE; write for example FREQ=WEEKLY;BYDAY=MO.'],
    ['every monday', '"EVERYMONDAY" is not a part such as FREQ=WEEKLY.'],
    ['BYDAY=MO', 'FREQ is missing; begin with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY.'],
    [
      'FREQ=HOURLY',
      'FREQ=HOURLY is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.',
    ],
    [
      'FREQ=MINUTELY',
      'FREQ=MINUTELY is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.',
    ],
    [
      'FREQ=SECONDLY',
      'FREQ=SECONDLY is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.',
    ],
    ['FREQ=FORTNIGHTLY', 'FREQ is "FORTNIGHTLY"; use DAILY, WEEKLY, MONTHLY or YEARLY.'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ is given twice; keep one.'],
    [
      'FREQ=DAILY;BYHOUR=9',
      'BYHOUR is not supported; start_time and end_time give the time of day. Remove it.',
    ],
    [
      'FREQ=DAILY;BYMINUTE=0',
      'BYMINUTE is not supported; start_time and end_time give the time of day. Remove it.',
    ],
    [
      'FREQ=DAILY;BYSECOND=0',
      'BYSECOND is not supported; start_time and end_time give the time of day. Remove it.',
    ],
    ['FREQ=YEARLY;BYWEEKNO=20', 'BYWEEKNO is not supported; use BYMONTH, BYMONTHDAY, BYDAY and BYSETPOS.'],
    ['FREQ=YEARLY;BYYEARDAY=100', 'BYYEARDAY is not supported; use BYMONTH, BYMONTHDAY, BYDAY and BYSETPOS.'],
    ['FREQ=DAILY;COLOUR=RED', 'COLOUR is not a part of a recurrence rule. Remove it.'],
    ['FREQ=DAILY;DTSTART=20260101', 'DTSTART must be on a line of its own, as DTSTART:20261231.'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL is "0"; give a whole number from 1 to 10000.'],
    ['FREQ=DAILY;INTERVAL=abc', 'INTERVAL is "ABC"; give a whole number from 1 to 10000.'],
    ['FREQ=DAILY;COUNT=0', 'COUNT is "0"; give a whole number from 1 to 1000000.'],
    ['FREQ=DAILY;COUNT=-3', 'COUNT is "-3"; give a whole number from 1 to 1000000.'],
    [
      'FREQ=DAILY;UNTIL=2026',
      'UNTIL is "2026"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.',
    ],
    [
      'FREQ=DAILY;UNTIL=20261231T240000',
      'UNTIL is "20261231T240000"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.',
    ],
    [
      'FREQ=DAILY;UNTIL=20261231T186000',
      'UNTIL is "20261231T186000"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.',
    ],
    [
      'FREQ=DAILY;UNTIL=20261231T180061',
      'UNTIL is "20261231T180061"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.',
    ],
    [
      'FREQ=DAILY;UNTIL=20260230',
      'UNTIL is "20260230"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.',
    ],
    ['FREQ=DAILY;COUNT=3;UNTIL=20261231', 'COUNT and UNTIL cannot be combined; keep one.'],
    [
      'FREQ=WEEKLY;BYDAY=MON',
      'BYDAY has "MON"; use MO, TU, WE, TH, FR, SA, SU, with a number before it such as 1MO or -1FR.',
    ],
    [
      'FREQ=MONTHLY;BYDAY=0MO',
      'BYDAY has "0MO"; use MO, TU, WE, TH, FR, SA, SU, with a number before it such as 1MO or -1FR.',
    ],
    [
      'FREQ=MONTHLY;BYDAY=54MO',
      'BYDAY has "54MO"; use MO, TU, WE, TH, FR, SA, SU, with a number before it such as 1MO or -1FR.',
    ],
    [
      'FREQ=WEEKLY;BYDAY=1MO',
      'BYDAY may only have numbers (such as 1MO) with FREQ=MONTHLY or YEARLY, not with WEEKLY.',
    ],
    [
      'FREQ=DAILY;BYDAY=-1MO',
      'BYDAY may only have numbers (such as 1MO) with FREQ=MONTHLY or YEARLY, not with DAILY.',
    ],
    [
      'FREQ=WEEKLY;BYMONTHDAY=1',
      'BYMONTHDAY cannot be combined with FREQ=WEEKLY; use FREQ=MONTHLY or DAILY.',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=32',
      'BYMONTHDAY has "32"; use 1 to 31, or -31 to -1 from the end of the month.',
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY has "0"; use 1 to 31, or -31 to -1 from the end of the month.'],
    ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH has "13"; use 1 to 12.'],
    ['FREQ=YEARLY;BYMONTH=JAN', 'BYMONTH has "JAN"; use 1 to 12.'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS has "0"; use 1 to 366, or -366 to -1 from the end.'],
    [
      'FREQ=MONTHLY;BYSETPOS=1',
      'BYSETPOS picks from the days that another BY part gives; add BYDAY or BYMONTHDAY.',
    ],
    ['FREQ=WEEKLY;WKST=XX', 'WKST is "XX"; use MO, TU, WE, TH, FR, SA or SU.'],
    ['FREQ=WEEKLY;BYDAY=', '"BYDAY=" is not a part such as FREQ=WEEKLY.'],
    [
      'RRULE:FREQ=DAILY\nRDATE:20261224',
      'RDATE is not supported; only RRULE, DTSTART and EXDATE lines are. Remove it.',
    ],
    [
      'RRULE:FREQ=DAILY\nEXDATE:20261224,20260230',
      'EXDATE has "20260230"; write dates as 20261225, separated by commas.',
    ],
    ['RRULE:FREQ=DAILY\nEXDATE:', 'EXDATE has ""; write dates as 20261225, separated by commas.'],
    ['RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY', 'There is more than one RRULE; create a separate rule for each.'],
    [
      'DTSTART:tomorrow\nRRULE:FREQ=DAILY',
      'DTSTART is "TOMORROW"; write a date as 20261231, or a time as 20261231T090000.',
    ],
    ['DTSTART:20260101\nDTSTART:20260102\nRRULE:FREQ=DAILY', 'DTSTART is given twice; keep one.'],
    ['FREQ=YEARLY;BYDAY=053MO', 'The rule cannot be read: Invalid weekday string: 053MO.'],
    ['DTSTART:20260101', 'There is no RRULE; write for example FREQ=WEEKLY;BYDAY=MO.'],
    [
      'DTSTART:00010101\nFREQ=YEARLY;COUNT=480000',
      'DTSTART is "0001-01-01"; a rule must start in the years 1970 to 2200.',
    ],
    [
      'DTSTART:22010101T000000Z\nFREQ=DAILY',
      'DTSTART is "2201-01-01"; a rule must start in the years 1970 to 2200.',
    ],
    [
      `FREQ=YEARLY;BYDAY=MO;BYSETPOS=${Array.from({ length: 250 }, (_, index) => index + 1).join(',')}`,
      'BYSETPOS has 250 values; give at most 31.',
    ],
  ])('%j', (rrule, message) => {
    expect(checkRule(recurring(rrule)).errors).toEqual([{ path: 'rrule', message }]);
  });

  test('a text that is too long is rejected without parsing', () => {
    expect(checkRule(recurring(`FREQ=MONTHLY;BYMONTHDAY=${'1,'.repeat(1000)}1`)).errors).toEqual([
      { path: 'rrule', message: 'The rule is longer than 2000 characters; shorten it.' },
    ]);
  });

  test('a missing FREQ is reported beside other problems', () => {
    const { errors } = checkRule(recurring('BYHOUR=9;BYDAY=MO'));
    expect(errors.map(({ message }) => message.split(' ')[0])).toEqual(['BYHOUR', 'FREQ']);
  });

  test('a colon in place of the equals sign', () => {
    const { errors } = checkRule(recurring('FREQ:WEEKLY'));
    expect(errors).toEqual([{ path: 'rrule', message: '"FREQ:WEEKLY" is not a part such as FREQ=WEEKLY.' }]);
  });

  test('several unsupported parts are all named', () => {
    const { errors } = checkRule(recurring('FREQ=HOURLY;BYHOUR=9;BYDAY=MO,XX'));
    expect(errors.map(({ message }) => message.split(' ')[0])).toEqual(['BYHOUR', 'FREQ=HOURLY', 'BYDAY']);
  });
});

test.each(['1969-12-31', '2201-01-01', '0001-01-01'])('a rule does not begin on %s', (startsOn) => {
  expect(checkRule({ ...VALID_RULE, starts_on: startsOn }).errors).toEqual([
    {
      path: 'starts_on',
      message: `starts_on is "${startsOn}"; a rule must start in the years 1970 to 2200.`,
    },
  ]);
});

describe('a rule that can never occur is accepted with a warning', () => {
  test.each<[string, RuleInput]>([
    ['31 February', recurring('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31')],
    ['31 February, by day', recurring('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31')],
    [
      '30 February, when anchored',
      recurring('FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30', { starts_on: '2026-01-01' }),
    ],
    ['the 31st of short months', recurring('FREQ=MONTHLY;BYMONTH=4,6,9,11;BYMONTHDAY=31')],
    ['a sixth Monday', recurring('FREQ=MONTHLY;BYDAY=6MO')],
    [
      'a 29 February in every fourth year from an odd one',
      recurring('FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29', { starts_on: '2026-01-01' }),
    ],
    ['a sixth weekday of a week of five', recurring('FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=6')],
    [
      'an end before the first occurrence',
      recurring('FREQ=WEEKLY;BYDAY=MO;UNTIL=20261122', { starts_on: '2026-11-20' }),
    ],
    [
      'an ends_on before the first occurrence',
      recurring('FREQ=MONTHLY;BYMONTHDAY=1', { starts_on: '2026-11-20', ends_on: '2026-11-30' }),
    ],
    ['a second Sunday that is the first', recurring('FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=2SU')],
    [
      'every hundredth year, not before 2400',
      recurring('FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29', { starts_on: '2100-01-01' }),
    ],
    [
      'a Monday among days a week apart from a Tuesday on',
      recurring('FREQ=DAILY;INTERVAL=7;BYDAY=MO', { starts_on: '1970-01-06' }),
    ],
  ])('%s', (_name, rule) => {
    expect(checkRule(rule)).toEqual({
      errors: [],
      warnings: [{ path: 'rrule', message: 'This rule never occurs: no day meets all its conditions.' }],
    });
  });

  test.each<[string, RuleInput, string, string]>([
    [
      'an UNTIL before the day of creation',
      recurring('FREQ=DAILY;UNTIL=20251231', { created_at: '2026-11-20T00:00:00.000Z' }),
      'rrule',
      'This rule never occurs: it begins on 2026-11-20, by DTSTART or the day of its creation, and UNTIL is before that.',
    ],
    [
      'an UNTIL before starts_on',
      recurring('FREQ=DAILY;UNTIL=20251231T120000', { starts_on: '2026-11-20' }),
      'rrule',
      'This rule never occurs: it begins on 2026-11-20, and UNTIL is before that.',
    ],
    [
      'an ends_on before DTSTART',
      recurring('DTSTART:20261120\nRRULE:FREQ=DAILY', { ends_on: '2026-11-19' }),
      'ends_on',
      'This rule never occurs: it begins on 2026-11-20, by DTSTART or the day of its creation, and ends_on is before that.',
    ],
  ])('a rule that ends before it begins says so: %s', (_name, rule, path, message) => {
    expect(checkRule(rule)).toEqual({ errors: [], warnings: [{ path, message }] });
  });

  test('a rule without any day left by its exceptions', () => {
    const days = { ...VALID_RULE, starts_on: '2026-11-24', ends_on: '2026-12-06' };
    expect(checkRule({ ...days, except_dates: ['2026-11-30'] }).warnings).toHaveLength(1);
    expect(checkRule({ ...days, except_dates: ['2026-12-01'] }).warnings).toHaveLength(0);
    const rrule = 'RRULE:FREQ=DAILY;COUNT=2\nEXDATE:20261124,20261125';
    expect(checkRule(recurring(rrule, { starts_on: '2026-11-24' })).warnings).toHaveLength(1);
  });

  test('a rule with local_time gets no warning that holds in one zone only', () => {
    const late = { created_at: '2026-11-20T00:00:00.000Z', local_time: true };
    // West of Greenwich it is created on the day before.
    expect(checkRule(recurring('FREQ=DAILY;UNTIL=20261119', late)).warnings).toEqual([]);
    expect(checkRule(recurring('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', late)).warnings).toHaveLength(1);
    expect(
      checkRule(recurring('FREQ=DAILY;UNTIL=20261118', { ...late, starts_on: '2026-11-19' })).warnings,
    ).toHaveLength(1);
  });

  test('a weekly rule that never occurs', () => {
    expect(checkRule({ ...VALID_RULE, starts_on: '2026-11-24', ends_on: '2026-11-29' }).warnings).toEqual([
      { path: 'days', message: 'This rule never occurs: no day meets all its conditions.' },
    ]);
  });

  test.each<[string, RuleInput]>([
    ['29 February', recurring('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', { starts_on: '2025-01-01' })],
    ['29 February, anchor unknown', recurring('FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29')],
    [
      '29 February on a Saturday, every 28 years',
      recurring('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SA', { starts_on: '2025-01-01' }),
    ],
    [
      'every thirtieth year, first in 2060',
      recurring('FREQ=YEARLY;INTERVAL=30;BYMONTH=2;BYMONTHDAY=29', { starts_on: '1970-01-01' }),
    ],
    ['on the last supported day', recurring('FREQ=YEARLY;BYMONTHDAY=31', { starts_on: '2200-12-31' })],
    ['one week that has its Monday', { ...VALID_RULE, starts_on: '2026-11-24', ends_on: '2026-11-30' }],
    ['an UNTIL in the past with an unknown anchor', recurring('FREQ=DAILY;UNTIL=20200101')],
  ])('%s does occur, however rarely', (_name, rule) => {
    expect(checkRule(rule).warnings).toEqual([]);
  });

  test('the zone decides on which day a rule was created', () => {
    const rule = recurring('FREQ=DAILY;UNTIL=20261120', { created_at: '2026-11-20T23:00:00.000Z' });
    expect(checkRule(rule, 'UTC').warnings).toHaveLength(0);
    expect(checkRule(rule, 'Europe/Berlin').warnings).toHaveLength(1);
  });
});

test('a space inside a value is rejected, a space around separators is ignored', () => {
  expect(checkRule(recurring('FREQ=DAILY;INTERVAL=1 0')).errors).toEqual([
    { path: 'rrule', message: '"1 0" contains a space; remove it.' },
  ]);
  expect(checkRule(recurring('FREQ=WEEKLY;BYMONTH=1 1')).errors[0]?.message).toContain(
    '"1 1" contains a space',
  );
  expect(checkRule(recurring(' FREQ = WEEKLY ; BYDAY = MO , TU '))).toEqual({ errors: [], warnings: [] });
});

test('parts of a rule without effect are reported as warnings', () => {
  expect(checkRule(recurring('DTSTART:20261201\nRRULE:FREQ=DAILY')).warnings).toEqual([]);
  expect(
    checkRule(recurring('DTSTART;TZID=America/New_York:20261201T093000\nRRULE:FREQ=DAILY')).warnings.map(
      ({ message }) => message,
    ),
  ).toEqual([
    expect.stringContaining('TZID=AMERICA/NEW_YORK is not used'),
    expect.stringContaining('The time of DTSTART (20261201T093000) is not used'),
  ]);
  const exported =
    'DTSTART;TZID=Europe/Berlin:20261201\nRRULE:FREQ=DAILY\n' +
    'EXDATE;TZID=Europe/Berlin:20261224T093000\nEXDATE;TZID=Europe/Berlin:20261225T093000';
  expect(checkRule(recurring(exported)).warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('TZID=EUROPE/BERLIN is not used'),
    'The times of EXDATE are not used: no window opens on those days, at any time.',
  ]);
});
