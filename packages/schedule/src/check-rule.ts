import {
  LAST_YEAR,
  MINUTES_PER_DAY,
  MS_PER_DAY,
  dayNumber,
  formatDate,
  isAnchorDay,
  parseDate,
} from './calendar.ts';
import { ANCHORS, DAY_CODES, anchorOf, openingDays } from './opening-days.ts';
import type { RuleDays } from './opening-days.ts';
import { recurringDays } from './recurrence.ts';
import { readRrule } from './rrule-text.ts';
import { parseTime } from './times.ts';
import type { DayCode } from './types.ts';
import { createZone } from './zone.ts';
import type { Zone } from './zone.ts';

/** A rule as somebody sent it: any field may be missing or of the wrong kind. Other fields are not looked at. */
export interface RuleInput {
  start_time?: unknown;
  end_time?: unknown;
  days?: unknown;
  rrule?: unknown;
  priority?: unknown;
  starts_on?: unknown;
  ends_on?: unknown;
  /** ISO instant; anchors an rrule that has no other anchor. Leave it out for a rule that is not stored yet. */
  created_at?: unknown;
}

/** `path` is the field within the rule (`start_time`, `days.2`; empty: the rule); `message` says what is wrong and what to do. */
export interface RuleProblem {
  path: string;
  message: string;
}

type Refuse = (path: string, message: string) => void;

/**
 * Checks a rule before it is stored, all of it at once. A rule with errors must be refused; warnings are worth telling.
 *
 * @param sent a `RuleInput`, or whatever came in its place
 * @param timezone IANA name; in it stand the dates of instants (`created_at`, an UNTIL with `Z`)
 * @throws RangeError when the runtime does not know the zone; never for what was sent
 */
export function checkRule(
  sent: unknown,
  timezone = 'UTC',
): { errors: RuleProblem[]; warnings: RuleProblem[] } {
  const errors: RuleProblem[] = [];
  const warnings: RuleProblem[] = [];
  const refuse: Refuse = (path, message) => errors.push({ path, message });
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    refuse('', 'A rule is an object with start_time, end_time and days or rrule.');
    return { errors, warnings };
  }
  const rule: RuleInput = sent;

  const start = timeOf(rule.start_time);
  if (start === null || start === MINUTES_PER_DAY)
    refuse('start_time', `${isNot(rule.start_time, 'a start time')}; write HH:MM from 00:00 to 23:59.`);
  if (timeOf(rule.end_time) === null)
    refuse('end_time', `${isNot(rule.end_time, 'an end time')}; write HH:MM from 00:00 to 24:00.`);
  const priority = rule.priority ?? 0;
  if (typeof priority !== 'number' || !Number.isInteger(priority) || priority < 0 || priority > 1000)
    refuse('priority', `${isNot(priority, 'a priority')}; give a whole number from 0 to 1000.`);

  const startsOn = checkDate('starts_on', rule.starts_on, refuse);
  const endsOn = checkDate('ends_on', rule.ends_on, refuse);
  if (startsOn !== null && !isAnchorDay(parseDate(startsOn) ?? 0))
    refuse('starts_on', `starts_on is "${startsOn}"; ${ANCHORS}.`);
  if (startsOn !== null && endsOn !== null && endsOn < startsOn)
    refuse('ends_on', 'ends_on is before starts_on; swap them or leave one out.');

  const hasDays = rule.days !== undefined && rule.days !== null;
  const hasRrule = rule.rrule !== undefined && rule.rrule !== null;
  if (!hasDays && !hasRrule) refuse('days', 'Give days, such as ["MON", "FRI"], or an rrule.');
  if (hasDays && hasRrule) refuse('rrule', 'Give days or rrule, not both; leave one out.');
  const days = hasDays ? checkDays(rule.days, refuse) : null;
  const rrule = hasRrule
    ? checkRrule(rule.rrule, refuse, (message) => warnings.push({ path: 'rrule', message }))
    : null;

  if (errors.length === 0) {
    const createdAt = typeof rule.created_at === 'string' ? rule.created_at : '';
    const text = { days, rrule, starts_on: startsOn, ends_on: endsOn, created_at: createdAt };
    if (neverOccurs(text, start ?? 0, createZone(timezone)))
      warnings.push({
        path: hasRrule ? 'rrule' : 'days',
        message: 'This rule never occurs: no day fits everything that it asks for.',
      });
  }
  return { errors, warnings };
}

function timeOf(value: unknown): number | null {
  return typeof value === 'string' ? parseTime(value) : null;
}

function checkDate(path: string, value: unknown, refuse: Refuse): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && parseDate(value) !== null) return value;
  refuse(path, `${isNot(value, 'a date')}; write YYYY-MM-DD, a day that exists.`);
  return null;
}

function checkDays(value: unknown, refuse: Refuse): DayCode[] {
  const days: DayCode[] = [];
  if (!Array.isArray(value) || value.length === 0)
    refuse('days', `${isNot(value, 'a list of days')}; give at least one of ${DAY_CODES.join(', ')}.`);
  else
    Array.from<unknown>(value).forEach((code, index) => {
      const day = DAY_CODES.find((known) => known === code);
      if (day) days.push(day);
      else refuse(`days.${index}`, `${isNot(code, 'a day')}; use ${DAY_CODES.join(', ')}.`);
    });
  return days;
}

function checkRrule(value: unknown, refuse: Refuse, warn: (message: string) => void): string {
  if (typeof value !== 'string') {
    refuse('rrule', `${isNot(value, 'a recurrence rule')}; write a text such as FREQ=WEEKLY;BYDAY=MO.`);
    return '';
  }
  const { problems, dtstart, unused } = readRrule(value, 'strictly');
  for (const sentence of unused) warn(sentence);
  for (const problem of problems ?? []) refuse('rrule', problem);
  if (dtstart && !isAnchorDay(Math.floor(dtstart.ms / MS_PER_DAY)))
    refuse('rrule', `DTSTART is "${formatDate(Math.floor(dtstart.ms / MS_PER_DAY))}"; ${ANCHORS}.`);
  return value;
}

/** The last day on which a rule may begin to matter. */
const LAST_DAY = dayNumber(LAST_YEAR, 12, 31);

function neverOccurs(rule: RuleDays, start: number, zone: Zone): boolean {
  const { recurrence, dtstart } = readRrule(rule.rrule ?? '');
  const anchor = recurrence ? anchorOf(rule, dtstart, zone) : parseDate(rule.starts_on ?? '');
  if (recurrence && anchor === null) {
    // It will be anchored by the day of its creation: is there any day in the calendar that it could fall on?
    return recurringDays({ ...recurrence, interval: 1 }, 0, LAST_YEAR).next(0, LAST_DAY) === null;
  }
  const days = openingDays(rule, start, zone);
  return typeof days !== 'string' && days.next(anchor ?? 0, LAST_DAY) === null;
}

/** The first half of a refusal. */
function isNot(value: unknown, what: string): string {
  return value === undefined ? 'This is missing' : `${shown(value)} is not ${what}`;
}

/** A value as it was sent, cut short. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value)) return 'An object';
    return value.length === 0 ? '[]' : 'A list';
  }
  if (typeof value === 'function') return 'A function';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
