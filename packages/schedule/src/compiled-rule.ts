import { MINUTES_PER_DAY } from './calendar.ts';
import { EMPTY_DAY_SET } from './day-set.ts';
import type { DaySet } from './day-set.ts';
import { openingDays } from './opening-days.ts';
import type { parseRrule } from './parse-rrule.ts';
import { parseTime } from './parse-time.ts';
import type { TimeZone } from './time-zone.ts';
import type { Rule, Schedule } from './types.ts';

/** Most days that a window may end after the day on which it opens. */
export const MAX_END_DAY_OFFSET = 6;

/** A rule as day numbers and minutes. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly schedule: Schedule;
  readonly updatedAtMs: number;
  /** Which of the zones of the compiled set it is evaluated in. */
  readonly zoneIndex: number;
  /** The days on which its window opens. */
  readonly days: DaySet;
  /** Minutes after midnight at which the window opens. */
  readonly start: number;
  /** Minutes after that day's midnight at which the window closes; at most `MAX_END_DAY_OFFSET` days later. */
  readonly end: number;
  /** Why the rule is invalid and so never active; null when it is valid. */
  readonly invalidReason: string | null;
}

type CompiledRuleTimes = Pick<CompiledRule, 'days' | 'start' | 'end' | 'invalidReason'>;

/** Days and times are computed when they are first read. */
export function compileRule(
  rule: Rule,
  schedule: Schedule,
  { zone, zoneIndex }: { zone: TimeZone; zoneIndex: number },
  parse: typeof parseRrule,
): CompiledRule {
  let times: CompiledRuleTimes | null = null;
  const getTimes = () => (times ??= compileTimes(rule, zone, parse));
  return {
    rule,
    schedule,
    updatedAtMs: Date.parse(rule.updated_at) || 0,
    zoneIndex,
    get days() {
      return getTimes().days;
    },
    get start() {
      return getTimes().start;
    },
    get end() {
      return getTimes().end;
    },
    get invalidReason() {
      return getTimes().invalidReason;
    },
  };
}

function compileTimes(rule: Rule, zone: TimeZone, parse: typeof parseRrule): CompiledRuleTimes {
  const start = parseTime(rule.start_time);
  const end = parseTime(rule.end_time);
  const endDayOffset = rule.end_day_offset ?? 0;
  const days =
    start === null || start === MINUTES_PER_DAY
      ? `start_time "${rule.start_time}" is not a time from 00:00 to 23:59.`
      : end === null
        ? `end_time "${rule.end_time}" is not a time from 00:00 to 24:00.`
        : !isEndDayOffset(endDayOffset)
          ? `end_day_offset ${endDayOffset} is not a whole number from 0 to ${MAX_END_DAY_OFFSET}.`
          : openingDays(rule, start, zone, parse);
  if (typeof days === 'string') {
    return { days: EMPTY_DAY_SET, start: 0, end: 0, invalidReason: days };
  }
  return { days, start: start!, end: windowEnd(start!, end!, endDayOffset), invalidReason: null };
}

export const isEndDayOffset = (value: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= MAX_END_DAY_OFFSET;

/** When a window closes, in minutes after the midnight of the day on which it opens. */
export function windowEnd(start: number, end: number, endDayOffset: number): number {
  if (endDayOffset > 0) {
    return end + endDayOffset * MINUTES_PER_DAY;
  }
  return end > start ? end : end + MINUTES_PER_DAY;
}
