import { MS_PER_DAY, MS_PER_MINUTE, parseDate } from './calendar.ts';
import { firstOf, weekdays, within } from './day-set.ts';
import type { DaySet } from './day-set.ts';
import { lastDayByCount, recurringDays } from './recurrence.ts';
import type { Moment } from './recurrence.ts';
import { readRrule } from './rrule-text.ts';
import type { DayCode, Rule } from './types.ts';
import type { Zone } from './zone.ts';

export const DAY_CODES: readonly DayCode[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** The fields of a rule that decide on which days its window opens. */
export type RuleDays = Pick<Rule, 'days' | 'rrule' | 'starts_on' | 'ends_on' | 'created_at'>;

/**
 * The days on which a rule's window opens, by the calendar alone; or a sentence that says why the rule cannot be read.
 *
 * @param startMinutes minutes of the day at which the window opens, for an UNTIL with a time
 * @param read reads an rrule; a caller with many rules keeps what it has read
 */
export function openingDays(
  rule: RuleDays,
  startMinutes: number,
  zone: Zone,
  read = readRrule,
): DaySet | string {
  const first = rule.starts_on === null ? -Infinity : parseDate(rule.starts_on);
  const last = rule.ends_on === null ? Infinity : parseDate(rule.ends_on);
  if (first === null) return `starts_on "${rule.starts_on}" is not a date.`;
  if (last === null) return `ends_on "${rule.ends_on}" is not a date.`;
  if (rule.rrule === null) {
    if (rule.days === null || rule.days.length === 0) return 'It has neither days nor an rrule.';
    const mask = rule.days.reduce((bits, code) => bits | (1 << DAY_CODES.indexOf(code)), 0);
    return within(weekdays(mask), first, last);
  }
  const { recurrence, dtstart, problems } = read(rule.rrule);
  if (problems) return problems[0]!;
  const anchor = anchorOf(rule, dtstart, zone);
  if (anchor === null) return `created_at "${rule.created_at}" is not an instant.`;
  const { until, count } = recurrence;
  const lastByUntil = until ? lastDayBefore(until, startMinutes, zone) : Infinity;
  const lastByCount = lastDayByCount(recurrence, anchor);
  let days = recurringDays(recurrence, anchor);
  if (count !== null && lastByCount === null) days = firstOf(days, count, anchor);
  return within(days, -Infinity, Math.min(last, lastByUntil, lastByCount ?? Infinity));
}

/** The day from which a recurrence counts: `starts_on`, else DTSTART, else the day of creation; null when there is none. */
export function anchorOf(rule: RuleDays, dtstart: Moment | null, zone: Zone): number | null {
  if (rule.starts_on !== null) return parseDate(rule.starts_on);
  if (dtstart && dtstart.kind !== 'instant') return Math.floor(dtstart.ms / MS_PER_DAY);
  const atMs = dtstart ? dtstart.ms : Date.parse(rule.created_at);
  return Number.isNaN(atMs) ? null : Math.floor(zone.wallAt(atMs) / MS_PER_DAY);
}

/** The last day whose window opens no later than UNTIL. */
function lastDayBefore(until: Moment, startMinutes: number, zone: Zone): number {
  if (until.kind === 'date') return until.ms / MS_PER_DAY;
  const startMs = startMinutes * MS_PER_MINUTE;
  if (until.kind === 'wall') return Math.floor((until.ms - startMs) / MS_PER_DAY);
  let day = Math.floor(zone.wallAt(until.ms) / MS_PER_DAY) + 1;
  while (zone.instantOf(day * MS_PER_DAY + startMs) > until.ms) day--;
  return day;
}
