import { LAST_YEAR, MS_PER_DAY, MS_PER_MINUTE, formatDate, isAnchorDay, parseDate } from './calendar.ts';
import { createWeekdaySet, excludeDays, limitDaySet } from './day-set.ts';
import type { DaySet } from './day-set.ts';
import { exceptionProblem, findExceptDays } from './except-dates.ts';
import { recurringDays } from './recurrence.ts';
import type { Moment } from './recurrence-rule.ts';
import { parseRrule } from './parse-rrule.ts';
import type { DayCode, Rule } from './types.ts';
import type { TimeZone } from './time-zone.ts';

/** An evaluation in the last year may search the year after it. */
const LAST_SEARCHED_YEAR = LAST_YEAR + 2;

export const DAY_CODES: readonly DayCode[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** The second half of an error message. */
export const ANCHOR_RANGE_TEXT = `a rule must start in the years 1970 to ${LAST_YEAR}`;

/** The fields of a rule that determine on which days its window opens. */
export type RuleDays = Pick<Rule, 'days' | 'rrule' | 'starts_on' | 'ends_on' | 'except_dates' | 'created_at'>;

/**
 * The days on which a rule's window opens, by the calendar alone; or a sentence that says why the rule is invalid.
 *
 * @param startMinutes minutes after midnight at which the window opens, for an UNTIL with a time
 * @param parse parses an rrule; a caller with many rules caches the results
 */
export function openingDays(
  rule: RuleDays,
  startMinutes: number,
  zone: TimeZone,
  parse = parseRrule,
): DaySet | string {
  const first = rule.starts_on === null ? -Infinity : parseDate(rule.starts_on);
  const last = rule.ends_on === null ? Infinity : parseDate(rule.ends_on);
  if (first === null) {
    return `starts_on "${rule.starts_on}" is not a date.`;
  }
  if (last === null) {
    return `ends_on "${rule.ends_on}" is not a date.`;
  }
  const exceptDates = rule.except_dates ?? [];
  const problem = exceptionProblem(exceptDates);
  if (problem !== null) {
    return problem;
  }
  if (rule.rrule === null) {
    if (rule.days === null || rule.days.length === 0) {
      return 'the rule has neither days nor an rrule.';
    }
    const mask = rule.days.reduce((bits, code) => bits | (1 << DAY_CODES.indexOf(code)), 0);
    const weekly = limitDaySet(createWeekdaySet(mask), first, last);
    return excludeDays(weekly, findExceptDays(exceptDates, [], zone));
  }
  const { recurrence, dtstart, exdates, problems } = parse(rule.rrule);
  if (problems) {
    return problems[0]!;
  }
  const anchor = findAnchorDay(rule, dtstart, zone);
  if (anchor === null) {
    return `created_at "${rule.created_at}" is not an instant.`;
  }
  if (!isAnchorDay(anchor)) {
    return `the rule is anchored on ${formatDate(anchor)}; ${ANCHOR_RANGE_TEXT}.`;
  }
  const recurring = recurringDays(recurrence, anchor, LAST_SEARCHED_YEAR);
  const days = limitDaySet(
    excludeDays(recurring, findExceptDays(exceptDates, exdates, zone)),
    -Infinity,
    last,
  );
  return recurrence.until ? limitByUntil(days, recurrence.until, startMinutes * MS_PER_MINUTE, zone) : days;
}

/** The first day of a recurrence: `starts_on`, else DTSTART, else the day of creation; null when there is none. */
export function findAnchorDay(rule: RuleDays, dtstart: Moment | null, zone: TimeZone): number | null {
  if (rule.starts_on !== null) {
    return parseDate(rule.starts_on);
  }
  if (dtstart && dtstart.kind !== 'instant') {
    return Math.floor(dtstart.ms / MS_PER_DAY);
  }
  const atMs = dtstart ? dtstart.ms : Date.parse(rule.created_at);
  return Number.isNaN(atMs) ? null : Math.floor(zone.localTimeAtUncached(atMs) / MS_PER_DAY);
}

/** The days of a set whose window, `startMs` after midnight, opens no later than UNTIL. */
function limitByUntil(set: DaySet, { kind, ms }: Moment, startMs: number, zone: TimeZone): DaySet {
  if (kind === 'date') {
    return limitDaySet(set, -Infinity, ms / MS_PER_DAY);
  }
  const lastDayUtc = Math.floor((ms - startMs) / MS_PER_DAY);
  if (kind === 'local') {
    return limitDaySet(set, -Infinity, lastDayUtc);
  }
  // No offset is more than a day, so the zone, which is slow to load, is needed only close to the end.
  let exactLastDay: number | null = null;
  const last = () => (exactLastDay ??= lastDayBefore(ms, startMs, zone));
  const isBefore = (day: number) => day <= lastDayUtc - 2 || (day <= lastDayUtc + 2 && day <= last());
  return {
    has: (day) => isBefore(day.number) && set.has(day),
    next(from, to) {
      if (from > lastDayUtc + 2) {
        return null;
      }
      return set.next(from, to <= lastDayUtc - 2 ? to : Math.min(to, last()));
    },
  };
}

/** The last day whose window opens no later than an instant. */
function lastDayBefore(untilMs: number, startMs: number, zone: TimeZone): number {
  let day = Math.floor(zone.localTimeAt(untilMs) / MS_PER_DAY) + 1;
  while (zone.firstInstantAt(day * MS_PER_DAY + startMs) > untilMs) {
    day--;
  }
  return day;
}
