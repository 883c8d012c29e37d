import { LAST_YEAR, MS_PER_DAY, MS_PER_MINUTE, formatDate, isAnchorDay, parseDate } from './calendar.ts';
import { weekdays, within } from './day-set.ts';
import type { DaySet } from './day-set.ts';
import { recurringDays } from './recurrence.ts';
import type { Moment } from './recurrence.ts';
import { readRrule } from './rrule-text.ts';
import type { DayCode, Rule } from './types.ts';
import type { Zone } from './zone.ts';

/** What is asked in the last year may be answered about the year after it. */
const LAST_ANSWERED_YEAR = LAST_YEAR + 2;

export const DAY_CODES: readonly DayCode[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** The second half of a refusal. */
export const ANCHORS = `a rule begins in the years 1970 to ${LAST_YEAR}`;

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
  if (!isAnchorDay(anchor)) return `It is anchored on ${formatDate(anchor)}; ${ANCHORS}.`;
  const days = within(recurringDays(recurrence, anchor, LAST_ANSWERED_YEAR), -Infinity, last);
  return recurrence.until ? until(days, recurrence.until, startMinutes * MS_PER_MINUTE, zone) : days;
}

/** The day from which a recurrence counts: `starts_on`, else DTSTART, else the day of creation; null when there is none. */
export function anchorOf(rule: RuleDays, dtstart: Moment | null, zone: Zone): number | null {
  if (rule.starts_on !== null) return parseDate(rule.starts_on);
  if (dtstart && dtstart.kind !== 'instant') return Math.floor(dtstart.ms / MS_PER_DAY);
  const atMs = dtstart ? dtstart.ms : Date.parse(rule.created_at);
  return Number.isNaN(atMs) ? null : Math.floor(zone.wallOnce(atMs) / MS_PER_DAY);
}

/** The days of a set whose window, `startMs` after midnight, opens no later than UNTIL. */
function until(set: DaySet, { kind, ms }: Moment, startMs: number, zone: Zone): DaySet {
  if (kind === 'date') return within(set, -Infinity, ms / MS_PER_DAY);
  const byUtc = Math.floor((ms - startMs) / MS_PER_DAY);
  if (kind === 'wall') return within(set, -Infinity, byUtc);
  // No clock is more than a day from UTC: only about the end itself is the zone asked, which has to be read for it.
  let exact: number | null = null;
  const last = () => (exact ??= lastDayBefore(ms, startMs, zone));
  const isBefore = (day: number) => day <= byUtc - 2 || (day <= byUtc + 2 && day <= last());
  return {
    has: (day) => isBefore(day.number) && set.has(day),
    next(from, to) {
      if (from > byUtc + 2) return null;
      return set.next(from, to <= byUtc - 2 ? to : Math.min(to, last()));
    },
  };
}

/** The last day whose window opens no later than an instant. */
function lastDayBefore(untilMs: number, startMs: number, zone: Zone): number {
  let day = Math.floor(zone.wallAt(untilMs) / MS_PER_DAY) + 1;
  while (zone.instantOf(day * MS_PER_DAY + startMs) > untilMs) day--;
  return day;
}
