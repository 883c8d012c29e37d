import { parseDate } from './calendar.ts';
import { DAY_CODES } from './compile.ts';
import { readRrule } from './rrule-text.ts';
import { parseTime } from './times.ts';

/** A rule as somebody sent it: any field may be missing or of the wrong shape. */
export interface RuleInput {
  start_time?: unknown;
  end_time?: unknown;
  days?: unknown;
  rrule?: unknown;
  priority?: unknown;
  starts_on?: unknown;
  ends_on?: unknown;
}

/** `path` is the field within the rule (`days.2`); `message` says what is wrong and what to do. */
export interface RuleProblem {
  path: string;
  message: string;
}

/** Checks a rule before it is stored. Errors must be refused; warnings are worth telling. */
export function checkRule(rule: RuleInput): { errors: RuleProblem[]; warnings: RuleProblem[] } {
  const errors: RuleProblem[] = [];
  const add = (path: string, message: string) => errors.push({ path, message });
  const start = typeof rule.start_time === 'string' ? parseTime(rule.start_time) : null;
  if (start === null || start === 1440) add('start_time', 'Give the start as HH:MM, 00:00 to 23:59.');
  if (typeof rule.end_time !== 'string' || parseTime(rule.end_time) === null)
    add('end_time', 'Give the end as HH:MM, 00:00 to 24:00.');
  const hasDays = rule.days !== undefined && rule.days !== null;
  const hasRrule = rule.rrule !== undefined && rule.rrule !== null;
  if (hasDays === hasRrule) add(hasDays ? 'rrule' : 'days', 'Give either days or rrule.');
  if (hasDays) {
    if (!Array.isArray(rule.days) || rule.days.length === 0) add('days', 'Give at least one day.');
    else
      rule.days.forEach((code: unknown, index) => {
        if (!DAY_CODES.some((known) => known === code))
          add(`days.${index}`, 'Use MON, TUE, WED, THU, FRI, SAT or SUN.');
      });
  }
  if (hasRrule) {
    if (typeof rule.rrule !== 'string') add('rrule', 'Give the recurrence rule as a text.');
    else for (const problem of readRrule(rule.rrule).problems ?? []) add('rrule', problem);
  }
  const priority = rule.priority ?? 0;
  if (typeof priority !== 'number' || !Number.isInteger(priority) || priority < 0 || priority > 1000)
    add('priority', 'Give a whole number from 0 to 1000.');
  for (const path of ['starts_on', 'ends_on'] as const) {
    const value = rule[path] ?? null;
    if (value !== null && (typeof value !== 'string' || parseDate(value) === null))
      add(path, 'Give a date as YYYY-MM-DD.');
  }
  return { errors, warnings: [] };
}
