import { MINUTES_PER_DAY } from './calendar.ts';
import { EMPTY_DAY_SET } from './day-set.ts';
import type { DaySet } from './day-set.ts';
import { openingDays } from './opening-days.ts';
import type { parseRrule } from './parse-rrule.ts';
import { parseTime } from './parse-time.ts';
import type { TimeZone } from './time-zone.ts';
import type { Rule, Schedule } from './types.ts';

/** A rule as day numbers and minutes. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly schedule: Schedule;
  readonly updatedAtMs: number;
  /** The days on which its window opens. */
  readonly days: DaySet;
  /** Minutes after midnight at which the window opens. */
  readonly start: number;
  /** Minutes after that day's midnight at which the window closes; at most a day after the start. */
  readonly end: number;
  /** Why the rule is invalid and so never active; null when it is valid. */
  readonly invalidReason: string | null;
}

type CompiledRuleTimes = Pick<CompiledRule, 'days' | 'start' | 'end' | 'invalidReason'>;

/** Days and times are computed when they are first read. */
export function compileRule(
  rule: Rule,
  schedule: Schedule,
  zone: TimeZone,
  parse: typeof parseRrule,
): CompiledRule {
  let times: CompiledRuleTimes | null = null;
  const getTimes = () => (times ??= compileTimes(rule, zone, parse));
  return {
    rule,
    schedule,
    updatedAtMs: Date.parse(rule.updated_at) || 0,
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
  const days =
    start === null || start === MINUTES_PER_DAY
      ? `start_time "${rule.start_time}" is not a time from 00:00 to 23:59.`
      : end === null
        ? `end_time "${rule.end_time}" is not a time from 00:00 to 24:00.`
        : openingDays(rule, start, zone, parse);
  if (typeof days === 'string') {
    return { days: EMPTY_DAY_SET, start: 0, end: 0, invalidReason: days };
  }
  return { days, start: start!, end: end! > start! ? end! : end! + MINUTES_PER_DAY, invalidReason: null };
}
