import { describe, expect, test } from 'vitest';
import { readRecurrence, writeRecurrence } from './recurrence-text.ts';
import { describeRule, nameRules } from './rule-words.ts';
import { newRule } from './schedule-draft.ts';
import type { DraftRule } from './schedule-draft.ts';
import { english } from './texts/english.ts';
import { french } from './texts/french.ts';
import { german } from './texts/german.ts';
import { japanese } from './texts/japanese.ts';
import { spanish } from './texts/spanish.ts';

const rule = newRule('pl_1', 'a', new Date('2026-11-25T08:00:00Z'));
const fridays: DraftRule = {
  ...rule,
  days: null,
  rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR',
  start_time: '18:00',
  end_time: '23:00',
  starts_on: '2027-03-01',
};

test.each([
  ['en', english, 'every second Friday, 18:00–23:00, from Mar 1, 2027'],
  ['de', german, 'jeden zweiten Freitag, 18:00–23:00, ab 01.03.2027'],
  ['fr', french, 'un vendredi sur deux, 18:00–23:00, à partir du 1 mars 2027'],
  ['es', spanish, 'un viernes de cada dos, 18:00–23:00, desde el 1 mar 2027'],
  ['ja', japanese, '隔週金曜日, 18:00〜23:00, 2027/03/01 から'],
] as const)('every second Friday in %s', (language, { words }, sentence) => {
  expect(describeRule(fridays, language, words)).toBe(sentence);
});

test.each([
  ['en', english, 'once', '5 times'],
  ['de', german, 'einmal', '5-mal'],
  ['fr', french, 'une fois', '5 fois'],
  ['es', spanish, 'una vez', '5 veces'],
  ['ja', japanese, '1 回', '5 回'],
] as const)('how often in %s', (language, { words }, once, often) => {
  const daily = { ...rule, days: null };
  expect(describeRule({ ...daily, rrule: 'FREQ=DAILY;COUNT=1' }, language, words)).toContain(once);
  expect(describeRule({ ...daily, rrule: 'FREQ=DAILY;COUNT=5' }, language, words)).toContain(often);
});

describe('in English', () => {
  test.each<[Partial<DraftRule>, string]>([
    [{ days: ['MON', 'TUE', 'WED', 'THU', 'FRI'] }, 'Monday to Friday, 09:00–10:00'],
    [{ days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] }, 'every day, 09:00–10:00'],
    [{ days: ['SAT', 'SUN'] }, 'every Saturday and Sunday, 09:00–10:00'],
    [{ start_time: '00:00', end_time: '24:00' }, 'every Monday, all day'],
    [{ start_time: '22:00', end_time: '02:00' }, 'every Monday, 22:00–02:00 the day after'],
    [{ end_day_offset: 2 }, 'every Monday, 09:00–10:00 2 days later'],
    [{ days: null, rrule: 'FREQ=MONTHLY;BYDAY=-1FR' }, 'every month on the last Friday, 09:00–10:00'],
    [
      { days: null, rrule: 'FREQ=MONTHLY;BYMONTHDAY=1,15' },
      'every month on the 1st and the 15th, 09:00–10:00',
    ],
    [
      { days: null, rrule: 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24' },
      'every year on the 24th in December, 09:00–10:00',
    ],
    [{ days: null, rrule: 'FREQ=DAILY;INTERVAL=2;COUNT=5' }, 'every second day, 09:00–10:00, 5 times'],
    [
      { days: null, rrule: 'FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,TH;UNTIL=20271231' },
      'every 3rd week on Monday and Thursday, 09:00–10:00, until Dec 31, 2027',
    ],
    [
      { except_dates: ['2026-12-25'], local_time: true },
      'every Monday, 09:00–10:00, not on Dec 25, 2026, in the local time of the store',
    ],
    [
      { days: null, rrule: 'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2' },
      'by the recurrence FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2, 09:00–10:00',
    ],
  ])('%o', (changed, sentence) => {
    expect(describeRule({ ...rule, ...changed }, 'en', english.words)).toBe(sentence);
  });
});

test('a sentence about another rule names its playlist', () => {
  const others = [{ key: 'rule_1', playlist_id: 'pl_1' }];
  const sentence = 'This rule never wins: rule_1 of this schedule has precedence over rule_2.';
  expect(nameRules(sentence, others, new Map([['pl_1', 'Lunch']]))).toBe(
    'This rule never wins: “Lunch” of this schedule has precedence over rule_2.',
  );
});

test('what the form has fields for is read and written alike; the rest is left to the text', () => {
  const text = 'FREQ=MONTHLY;INTERVAL=2;BYMONTH=3,6;BYMONTHDAY=-1,1;BYDAY=1MO,-1FR;UNTIL=20271231';
  expect(writeRecurrence(readRecurrence(`RRULE:${text}`)!)).toBe(text);
  for (const other of [
    'FREQ=WEEKLY;WKST=SU',
    'FREQ=FOO',
    'BYDAY=XX;FREQ=WEEKLY',
    'DTSTART:20260101\nFREQ=DAILY',
    '',
  ]) {
    expect(readRecurrence(other), other).toBeNull();
  }
});
