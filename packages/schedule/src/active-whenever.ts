import { MINUTES_PER_DAY, MS_PER_DAY, parseDate, weekdayOf } from './calendar.ts';
import { MAX_END_DAY_OFFSET, isEndDayOffset, windowEnd } from './compiled-rule.ts';
import { DAY_CODES } from './opening-days.ts';
import { parseRrule } from './parse-rrule.ts';
import { parseTime } from './parse-time.ts';
import type { Rule } from './types.ts';

const EVERY_WEEKDAY = 0b111_1111;
/** Most days by which a date differs from that of the same instant in UTC, with the longest window before it. */
const PAST_DAYS = MAX_END_DAY_OFFSET + 2;

/** When a rule is active, as far as the comparison understands it. */
interface RuleShape {
  readonly start: number;
  readonly end: number;
  /** Bit 0 is Monday: no window opens on another weekday. */
  readonly weekdays: number;
  /** No window opens before or after these days; a weekly rule opens on each of its weekdays between them but on `except`. */
  readonly first: number;
  readonly last: number;
  readonly except: ReadonlySet<number>;
  readonly isLocal: boolean;
  /** Equal for rules with the same days but for `last` and `except`; null for a weekly one. */
  readonly recurrence: string | null;
}

/** Null for a rule that is not compared. */
const shapes = new WeakMap<Rule, RuleShape | null>();

/**
 * Whether a rule is active whenever another one is, from `nowMs` on and in any time zone. True is certain; false may be
 * wrong: weekly rules and equal recurrences are compared, and of other recurrences their weekdays. Takes a microsecond.
 */
export function isActiveWhenever(upper: Rule, lower: Rule, nowMs: number): boolean {
  const [above, below] = [shapeOf(upper), shapeOf(lower)];
  if (!above || !below || above.isLocal !== below.isLocal) {
    return false;
  }
  const first = Math.max(below.first, Math.floor(nowMs / MS_PER_DAY) - PAST_DAYS);
  if (above.recurrence !== null) {
    return (
      above.recurrence === below.recurrence &&
      above.start <= below.start &&
      above.end >= below.end &&
      above.last >= below.last &&
      [...above.except].every((day) => day < first || below.except.has(day))
    );
  }
  return isWithinWeek(above, below, first);
}

function isWithinWeek(above: RuleShape, below: RuleShape, first: number): boolean {
  // Most rules fail here.
  if (!isWeekCovered(above, below, MAX_END_DAY_OFFSET, MAX_END_DAY_OFFSET)) {
    return false;
  }
  const exceptions = [...above.except].filter((day) => ((above.weekdays >> weekdayOf(day)) & 1) === 1);
  for (const before of [0, MAX_END_DAY_OFFSET]) {
    for (const after of [0, MAX_END_DAY_OFFSET]) {
      const isInRange = above.first <= first - before && above.last >= below.last + after;
      const isOnlyOwnDay = before === 0 && after === 0;
      const hasAll = exceptions.every(
        (day) =>
          day < first - before ||
          day > below.last + after ||
          (isOnlyOwnDay && (((below.weekdays >> weekdayOf(day)) & 1) === 0 || below.except.has(day))),
      );
      if (isInRange && hasAll && isWeekCovered(above, below, before, after)) {
        return true;
      }
    }
  }
  return false;
}

/**
 * Whether each window of `below` lies within windows of `above` that open at most `before` days before it and `after` days
 * after it.
 */
function isWeekCovered(above: RuleShape, below: RuleShape, before: number, after: number): boolean {
  for (let weekday = 0; weekday < 7; weekday++) {
    if (((below.weekdays >> weekday) & 1) === 0) {
      continue;
    }
    let coveredUntil = below.start;
    for (let day = -before; day <= after && coveredUntil < below.end; day++) {
      const opens = ((above.weekdays >> ((weekday + day + 7) % 7)) & 1) === 1;
      if (opens && day * MINUTES_PER_DAY + above.start <= coveredUntil) {
        coveredUntil = Math.max(coveredUntil, day * MINUTES_PER_DAY + above.end);
      }
    }
    if (coveredUntil < below.end) {
      return false;
    }
  }
  return true;
}

function shapeOf(rule: Rule): RuleShape | null {
  const known = shapes.get(rule);
  if (known !== undefined) {
    return known;
  }
  const shape = computeShape(rule);
  shapes.set(rule, shape);
  return shape;
}

function computeShape(rule: Rule): RuleShape | null {
  const [start, end] = [parseTime(rule.start_time), parseTime(rule.end_time)];
  const offset = rule.end_day_offset ?? 0;
  const dates = rule.except_dates ?? [];
  const [startsOn, endsOn] = [rule.starts_on, rule.ends_on].map((on) => (on === null ? null : parseDate(on)));
  const common =
    start === null || end === null || !isEndDayOffset(offset)
      ? null
      : {
          start,
          end: windowEnd(start, end, offset),
          last: endsOn ?? Infinity,
          isLocal: rule.local_time === true,
          except: new Set(dates.flatMap((text) => parseDate(text) ?? [])),
        };
  if (!common || dates.some((text) => parseDate(text) === null)) {
    return null;
  }
  if (rule.rrule === null) {
    const weekdays = (rule.days ?? []).reduce((bits, code) => bits | (1 << DAY_CODES.indexOf(code)), 0);
    return { ...common, weekdays, first: startsOn ?? -Infinity, recurrence: null };
  }
  const { recurrence } = parseRrule(rule.rrule);
  if (!recurrence) {
    return null;
  }
  const weekdays = recurrence.byDay.reduce((bits, { weekday }) => bits | (1 << weekday), 0);
  return {
    ...common,
    weekdays: weekdays === 0 ? EVERY_WEEKDAY : weekdays,
    first: startsOn ?? -Infinity,
    // The day of an UNTIL with a time may be the next one in another zone.
    last: Math.min(
      common.last,
      recurrence.until === null ? Infinity : Math.floor(recurrence.until.ms / MS_PER_DAY) + 1,
    ),
    recurrence: JSON.stringify([rule.rrule.trim(), rule.starts_on, rule.starts_on ?? rule.created_at]),
  };
}
