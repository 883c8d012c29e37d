import { MINUTES_PER_DAY, MS_PER_DAY, formatDate, isAnchorDay, parseDate } from './calendar.ts';
import { MAX_END_DAY_OFFSET, isEndDayOffset } from './compiled-rule.ts';
import { findNeverOccurring } from './never-occurring.ts';
import { ANCHOR_RANGE_TEXT, DAY_CODES } from './opening-days.ts';
import { parseRrule } from './parse-rrule.ts';
import { parseTime } from './parse-time.ts';
import type { DayCode, Rule } from './types.ts';
import { createTimeZone } from './time-zone.ts';

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

/** Most dates in `except_dates` of a rule. */
export const MAX_EXCEPT_DATES = 366;

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

  const offset = rule.end_day_offset ?? 0;
  if (typeof offset !== 'number' || !isEndDayOffset(offset)) {
    addError(
      'end_day_offset',
      `${describeMismatch(offset, 'a number of days')}; give a whole number from 0 to ${MAX_END_DAY_OFFSET}.`,
    );
  }
  const isLocal = rule.local_time ?? false;
  if (typeof isLocal !== 'boolean') {
    addError('local_time', `${describeMismatch(isLocal, 'true or false')}; give true or false.`);
  }
  const exceptDates = checkExceptDates(rule.except_dates, addError);

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
    const ruleDays = {
      days,
      rrule,
      starts_on: startsOn,
      ends_on: endsOn,
      except_dates: exceptDates,
      created_at: createdAt,
    };
    const zone = createTimeZone(timezone);
    const problem = findNeverOccurring(ruleDays, start ?? 0, isLocal ? { anyOther: zone } : zone);
    if (problem) {
      warnings.push(problem);
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

function checkExceptDates(value: unknown, addError: AddError): string[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (!Array.isArray(value) || value.length > MAX_EXCEPT_DATES) {
    addError(
      'except_dates',
      `${Array.isArray(value) ? `${value.length} dates are too many` : describeMismatch(value, 'a list of dates')}; give at most ${MAX_EXCEPT_DATES}.`,
    );
    return [];
  }
  return Array.from<unknown>(value).flatMap(
    (date, index) => checkDate(`except_dates.${index}`, date ?? '', addError) ?? [],
  );
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
