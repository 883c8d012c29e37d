import { MS_PER_DAY, MS_PER_MINUTE, parseDate, weekdayOf } from './calendar.ts';
import type { Day } from './calendar.ts';
import { recurringDays } from './recurrence.ts';
import type { Moment, RecurringDays } from './recurrence.ts';
import { readRrule } from './rrule-text.ts';
import { parseTime } from './times.ts';
import type { DayCode, Rule, Schedule, ScheduleSet } from './types.ts';
import { createZone } from './zone.ts';
import type { Zone } from './zone.ts';

/** A rule turned into day numbers and minutes. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly schedule: Schedule;
  readonly updatedAtMs: number;
  /** Minutes of the day on which a window opens. */
  readonly start: number;
  /** Minutes after that day's midnight at which it closes: above 1440 for a window that runs past midnight. */
  readonly end: number;
  readonly days: RecurringDays;
  /** Why the rule can never be active; null when it is sound. */
  readonly broken: string | null;
}

/** A schedule set made ready for questions. Keep it as long as the set does not change. */
export interface CompiledSchedules {
  readonly timezone: string;
  readonly zone: Zone;
  readonly rules: readonly CompiledRule[];
}

export const DAY_CODES: readonly DayCode[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

const NEVER: RecurringDays = { matches: () => false, next: () => null };

/**
 * Compiles all rules of a set. A rule that cannot be read does not stop the others: it is never active, and its
 * candidate entry says why.
 *
 * @throws RangeError when this runtime does not know the time zone.
 */
export function compileSchedules(set: ScheduleSet): CompiledSchedules {
  const zone = createZone(set.timezone);
  const rules = set.schedules.flatMap((schedule) =>
    schedule.rules.map((rule) => compileRule(rule, schedule, zone)),
  );
  return { timezone: set.timezone, zone, rules };
}

function compileRule(rule: Rule, schedule: Schedule, zone: Zone): CompiledRule {
  const start = parseTime(rule.start_time);
  const end = parseTime(rule.end_time);
  const updatedAtMs = Date.parse(rule.updated_at) || 0;
  const shared = { rule, schedule, updatedAtMs };
  if (start === null || start === 1440)
    return {
      ...shared,
      start: 0,
      end: 0,
      days: NEVER,
      broken: `start_time "${rule.start_time}" is not a time`,
    };
  if (end === null)
    return { ...shared, start: 0, end: 0, days: NEVER, broken: `end_time "${rule.end_time}" is not a time` };
  const found = daysOf(rule, start, zone);
  if (typeof found === 'string') return { ...shared, start: 0, end: 0, days: NEVER, broken: found };
  return { ...shared, start, end: end > start ? end : end + 1440, days: found, broken: null };
}

function daysOf(rule: Rule, start: number, zone: Zone): RecurringDays | string {
  const from = rule.starts_on === null ? -Infinity : parseDate(rule.starts_on);
  const to = rule.ends_on === null ? Infinity : parseDate(rule.ends_on);
  if (from === null) return `starts_on "${rule.starts_on}" is not a date`;
  if (to === null) return `ends_on "${rule.ends_on}" is not a date`;
  if (rule.rrule === null) {
    const mask = (rule.days ?? []).reduce((bits, code) => bits | (1 << DAY_CODES.indexOf(code)), 0);
    return between(weekly(mask), from, to);
  }
  const { recurrence, dtstart, problems } = readRrule(rule.rrule);
  if (problems) return problems[0]!;
  const anchor = anchorOf(rule, dtstart, zone);
  if (anchor === null) return `created_at "${rule.created_at}" is not an instant`;
  const days = recurringDays(recurrence, anchor);
  let last = to;
  if (recurrence.until) last = Math.min(last, lastDayOf(recurrence.until, start, zone));
  if (recurrence.count !== null) {
    let left = recurrence.count;
    let day: number | null = anchor - 1;
    while (left > 0 && day !== null) {
      day = days.next(day + 1, Math.min(last, anchor + 200_000));
      left--;
    }
    if (day !== null) last = Math.min(last, day);
  }
  return between(days, from, last);
}

function anchorOf(rule: Rule, dtstart: Moment | null, zone: Zone): number | null {
  if (rule.starts_on !== null) return parseDate(rule.starts_on);
  const wallMs =
    dtstart === null
      ? zone.wallAt(Date.parse(rule.created_at))
      : dtstart.kind === 'instant'
        ? zone.wallAt(dtstart.ms)
        : dtstart.ms;
  return Number.isNaN(wallMs) ? null : Math.floor(wallMs / MS_PER_DAY);
}

/** The last day whose window opens no later than UNTIL. */
function lastDayOf(until: Moment, start: number, zone: Zone): number {
  if (until.kind === 'date') return until.ms / MS_PER_DAY;
  if (until.kind === 'wall') return Math.floor((until.ms - start * MS_PER_MINUTE) / MS_PER_DAY);
  let day = Math.floor(zone.wallAt(until.ms) / MS_PER_DAY) + 1;
  while (zone.instantOf(day * MS_PER_DAY + start * MS_PER_MINUTE) > until.ms) day--;
  return day;
}

function weekly(mask: number): RecurringDays {
  const matches = (weekday: number) => ((mask >> weekday) & 1) === 1;
  return {
    matches: (day) => matches(day.weekday),
    next(from, to) {
      for (let number = from; number <= to && number < from + 7; number++)
        if (matches(weekdayOf(number))) return number;
      return null;
    },
  };
}

function between(days: RecurringDays, first: number, last: number): RecurringDays {
  if (first === -Infinity && last === Infinity) return days;
  return {
    matches: (day: Day) => day.number >= first && day.number <= last && days.matches(day),
    next: (from, to) => days.next(Math.max(from, first), Math.min(to, last)),
  };
}
