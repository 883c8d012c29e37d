import { readRecurrence } from './recurrence-text.ts';
import type { Recurrence } from './recurrence-text.ts';
import { DAY_CODES, weekdayNames } from '../i18n/weekdays.ts';
import type { DraftRule } from './schedule-draft.ts';
import { DAY_MINUTES, lengthOf } from './week-geometry.ts';

/** The words of a language for rules; lists and names of days and dates are already in it. */
export interface RuleWords {
  everyDay: string;
  workdays: string;
  weekly: (days: string) => string;
  everyNthDay: (n: number) => string;
  /** `isOne`: `days` is a single weekday. */
  everyNthWeek: (n: number, days: string, isOne: boolean) => string;
  everyNthMonth: (n: number, on: string) => string;
  everyNthYear: (n: number, on: string) => string;
  monthDay: (day: number) => string;
  nthWeekday: (nth: number, weekday: string) => string;
  inMonths: (months: string) => string;
  times: (count: number) => string;
  from: (date: string) => string;
  until: (date: string) => string;
  allDay: string;
  hours: (start: string, end: string) => string;
  nextDay: (end: string) => string;
  daysLater: (end: string, days: number) => string;
  except: (dates: string) => string;
  localTime: string;
  custom: (text: string) => string;
}

/** Shown dates of exceptions; of more, the number. */
const MAX_EXCEPTIONS = 3;

type Times = Pick<
  DraftRule,
  | 'days'
  | 'rrule'
  | 'start_time'
  | 'end_time'
  | 'end_day_offset'
  | 'starts_on'
  | 'ends_on'
  | 'except_dates'
  | 'local_time'
>;

/** A date `YYYY-MM-DD` as the language writes it. */
export const dateWords = (date: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    Date.parse(`${date}T00:00:00Z`),
  );

/** A sentence of the API with the playlists of the rules whose ids it has: nobody knows these. */
export const nameRules = (
  sentence: string,
  rules: readonly Pick<DraftRule, 'key' | 'playlist_id'>[],
  playlists: ReadonlyMap<string, string>,
): string =>
  sentence.replaceAll(/\brule_\w+/g, (id) => {
    const name = playlists.get(rules.find(({ key }) => key === id)?.playlist_id ?? '');
    return name === undefined ? id : `“${name}”`;
  });

/** A rule in plain words, such as “every second Friday, 18:00–23:00, from 1 Mar 2027”. */
export function describeRule(rule: Times, language: string, words: RuleWords): string {
  const list = (items: readonly string[]) =>
    new Intl.ListFormat(language, { type: 'conjunction' }).format(items);
  const date = (text: string) => dateWords(text, language);
  const recurrence = rule.rrule === null ? null : readRecurrence(rule.rrule);
  const exceptions = rule.except_dates.slice(0, MAX_EXCEPTIONS).map(date);
  const more = rule.except_dates.length - exceptions.length;
  return [
    rule.rrule === null
      ? dayWords(rule.days ?? [], language, words, list)
      : recurrence
        ? recurrenceWords(recurrence, rule, language, words, list)
        : words.custom(rule.rrule),
    hourWords(rule, words),
    ...(recurrence?.count ? [words.times(recurrence.count)] : []),
    ...(rule.starts_on === null ? [] : [words.from(date(rule.starts_on))]),
    ...[rule.ends_on, recurrence?.until ?? null].flatMap((day) =>
      day === null ? [] : [words.until(date(day))],
    ),
    ...(exceptions.length > 0
      ? [words.except(list(more > 0 ? [...exceptions, `+${more}`] : exceptions))]
      : []),
    ...(rule.local_time ? [words.localTime] : []),
  ].join(', ');
}

type List = (items: readonly string[]) => string;

function dayWords(days: readonly string[], language: string, words: RuleWords, list: List): string {
  const names = weekdayNames(language, 'long').filter((_, day) => days.includes(DAY_CODES[day] ?? ''));
  if (names.length === 7) {
    return words.everyDay;
  }
  const isWorkdays = names.length === 5 && !days.includes('SAT') && !days.includes('SUN');
  return isWorkdays ? words.workdays : words.weekly(list(names));
}

function recurrenceWords(
  { freq, interval, weekdays, monthDays, months }: Recurrence,
  rule: Times,
  language: string,
  words: RuleWords,
  list: List,
): string {
  const names = weekdayNames(language, 'long');
  // Without days it is the weekday, or the day, on which it begins.
  const anchor = rule.starts_on === null ? null : new Date(`${rule.starts_on}T00:00:00Z`);
  const plain =
    weekdays.length > 0 ? weekdays : anchor ? [{ weekday: (anchor.getUTCDay() + 6) % 7, nth: 0 }] : [];
  const on = list([
    ...monthDays.map((day) => words.monthDay(day)),
    ...weekdays.map(({ weekday, nth }) => words.nthWeekday(nth, names[weekday] ?? '')),
    ...(monthDays.length + weekdays.length === 0 && anchor ? [words.monthDay(anchor.getUTCDate())] : []),
  ]);
  const monthNames = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
  const inMonths =
    months.length > 0
      ? ` ${words.inMonths(list(months.map((month) => monthNames.format(Date.UTC(2024, month - 1, 1)))))}`
      : '';
  if (freq === 'DAILY') {
    const days = interval === 1 ? words.everyDay : words.everyNthDay(interval);
    return days + (weekdays.length + monthDays.length === 0 ? '' : ` (${on})`) + inMonths;
  }
  if (freq === 'WEEKLY') {
    const days = list(plain.map(({ weekday }) => names[weekday] ?? ''));
    return (
      (interval === 1 && days !== ''
        ? words.weekly(days)
        : words.everyNthWeek(interval, days, plain.length === 1)) + inMonths
    );
  }
  return (
    (freq === 'MONTHLY' ? words.everyNthMonth(interval, on) : words.everyNthYear(interval, on)) + inMonths
  );
}

function hourWords(rule: Times, words: RuleWords): string {
  const { start_time: start, end_time: end, end_day_offset: offset } = rule;
  const length = lengthOf(rule);
  if (length === DAY_MINUTES && start === '00:00') {
    return words.allDay;
  }
  if (offset > 0) {
    return offset === 1
      ? words.hours(start, words.nextDay(end))
      : words.hours(start, words.daysLater(end, offset));
  }
  return words.hours(start, end !== '24:00' && end <= start ? words.nextDay(end) : end);
}
