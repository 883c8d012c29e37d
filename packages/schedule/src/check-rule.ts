import {
  LAST_YEAR,
  MINUTES_PER_DAY,
  MS_PER_DAY,
  dayNumber,
  formatDate,
  isAnchorDay,
  parseDate,
} from './calendar.ts';
import { ANCHOR_RANGE_TEXT, DAY_CODES, findAnchorDay, openingDays } from './opening-days.ts';
import type { RuleDays } from './opening-days.ts';
import { recurringDays } from './recurrence.ts';
import { parseRrule } from './parse-rrule.ts';
import { parseTime } from './parse-time.ts';
import type { DayCode, Rule } from './types.ts';
import { createTimeZone } from './time-zone.ts';
import type { TimeZone } from './time-zone.ts';

/** A rule as received: any field may be missing or have the wrong type. Other fields are ignored. */
export type RuleInput = {
  /** `created_at` anchors an rrule without another anchor. Omit it for a rule that is not stored yet. */
  [Field in Exclude<keyof Rule, 'id' | 'playlist_id' | 'updated_at'>]?: unknown;
};

/** `path`: field within the rule (`start_time`, `days.2`; empty: the rule); `message`: what is wrong and what to do. */
export interface RuleProblem {
  path: string;
  message: string;
}

type AddError = (path: string, message: string) => void;

/**
 * Checks a rule before it is stored and reports all problems. A rule with errors must be rejected, with warnings not.
 *
 * @param input a `RuleInput`, or any other received value
 * @param timezone IANA name; instants (`created_at`, an UNTIL with `Z`) are converted to dates in it
 * @throws RangeError when the runtime does not know the zone; never because of the input
 */
export function checkRule(
  input: unknown,
  timezone = 'UTC',
): { errors: RuleProblem[]; warnings: RuleProblem[] } {
  const errors: RuleProblem[] = [];
  const warnings: RuleProblem[] = [];
  const addError: AddError = (path, message) => errors.push({ path, message });
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    addError('', 'A rule is an object with start_time, end_time and days or rrule.');
    return { errors, warnings };
  }
  const rule: RuleInput = input;

  const start = parseTimeValue(rule.start_time);
  if (start === null || start === MINUTES_PER_DAY) {
    addError(
      'start_time',
      `${describeMismatch(rule.start_time, 'a start time')}; write HH:MM from 00:00 to 23:59.`,
    );
  }
  if (parseTimeValue(rule.end_time) === null) {
    addError(
      'end_time',
      `${describeMismatch(rule.end_time, 'an end time')}; write HH:MM from 00:00 to 24:00.`,
    );
  }
  const priority = rule.priority ?? 0;
  if (typeof priority !== 'number' || !Number.isInteger(priority) || priority < 0 || priority > 1000) {
    addError('priority', `${describeMismatch(priority, 'a priority')}; give a whole number from 0 to 1000.`);
  }

  const startsOn = checkDate('starts_on', rule.starts_on, addError);
  const endsOn = checkDate('ends_on', rule.ends_on, addError);
  if (startsOn !== null && !isAnchorDay(parseDate(startsOn) ?? 0)) {
    addError('starts_on', `starts_on is "${startsOn}"; ${ANCHOR_RANGE_TEXT}.`);
  }
  if (startsOn !== null && endsOn !== null && endsOn < startsOn) {
    addError('ends_on', 'ends_on is before starts_on; swap them or leave one out.');
  }

  const hasDays = rule.days !== undefined && rule.days !== null;
  const hasRrule = rule.rrule !== undefined && rule.rrule !== null;
  if (!hasDays && !hasRrule) {
    addError('days', 'Give days, such as ["MON", "FRI"], or an rrule.');
  }
  if (hasDays && hasRrule) {
    addError('rrule', 'Give days or rrule, not both; leave one out.');
  }
  const days = hasDays ? checkDays(rule.days, addError) : null;
  const rrule = hasRrule
    ? checkRrule(rule.rrule, addError, (message) => warnings.push({ path: 'rrule', message }))
    : null;

  if (errors.length === 0) {
    const createdAt = typeof rule.created_at === 'string' ? rule.created_at : '';
    const ruleDays = { days, rrule, starts_on: startsOn, ends_on: endsOn, created_at: createdAt };
    if (neverOccurs(ruleDays, start ?? 0, createTimeZone(timezone))) {
      warnings.push({
        path: hasRrule ? 'rrule' : 'days',
        message: 'This rule never occurs: no day meets all its conditions.',
      });
    }
  }
  return { errors, warnings };
}

function parseTimeValue(value: unknown): number | null {
  return typeof value === 'string' ? parseTime(value) : null;
}

function checkDate(path: string, value: unknown, addError: AddError): string | null {
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value === 'string' && parseDate(value) !== null) {
    return value;
  }
  addError(path, `${describeMismatch(value, 'a date')}; write YYYY-MM-DD, a day that exists.`);
  return null;
}

function checkDays(value: unknown, addError: AddError): DayCode[] {
  const days: DayCode[] = [];
  if (!Array.isArray(value) || value.length === 0) {
    addError(
      'days',
      `${describeMismatch(value, 'a list of days')}; give at least one of ${DAY_CODES.join(', ')}.`,
    );
  } else {
    Array.from<unknown>(value).forEach((code, index) => {
      const day = DAY_CODES.find((known) => known === code);
      if (day) {
        days.push(day);
      } else {
        addError(`days.${index}`, `${describeMismatch(code, 'a day')}; use ${DAY_CODES.join(', ')}.`);
      }
    });
  }
  return days;
}

function checkRrule(value: unknown, addError: AddError, warn: (message: string) => void): string {
  if (typeof value !== 'string') {
    addError(
      'rrule',
      `${describeMismatch(value, 'a recurrence rule')}; write a text such as FREQ=WEEKLY;BYDAY=MO.`,
    );
    return '';
  }
  const { problems, dtstart, ignored } = parseRrule(value, 'strict');
  for (const sentence of ignored) {
    warn(sentence);
  }
  for (const problem of problems ?? []) {
    addError('rrule', problem);
  }
  if (dtstart && !isAnchorDay(Math.floor(dtstart.ms / MS_PER_DAY))) {
    addError(
      'rrule',
      `DTSTART is "${formatDate(Math.floor(dtstart.ms / MS_PER_DAY))}"; ${ANCHOR_RANGE_TEXT}.`,
    );
  }
  return value;
}

/** The last day on which a rule may start. */
const LAST_DAY = dayNumber(LAST_YEAR, 12, 31);

function neverOccurs(rule: RuleDays, start: number, zone: TimeZone): boolean {
  const { recurrence, dtstart } = parseRrule(rule.rrule ?? '');
  const anchor = recurrence ? findAnchorDay(rule, dtstart, zone) : parseDate(rule.starts_on ?? '');
  if (recurrence && anchor === null) {
    // It will be anchored on the day of its creation: is there any day that it could occur on?
    return recurringDays({ ...recurrence, interval: 1 }, 0, LAST_YEAR).next(0, LAST_DAY) === null;
  }
  const days = openingDays(rule, start, zone);
  return typeof days !== 'string' && days.next(anchor ?? 0, LAST_DAY) === null;
}

/** The first half of an error message. */
function describeMismatch(value: unknown, expected: string): string {
  return value === undefined ? 'Missing' : `${describeValue(value)} is not ${expected}`;
}

/** A received value as text, shortened. */
function describeValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value)) {
      return 'An object';
    }
    return value.length === 0 ? '[]' : 'A list';
  }
  if (typeof value === 'function') {
    return 'A function';
  }
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
