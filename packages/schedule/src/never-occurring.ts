import { LAST_YEAR, MS_PER_DAY, dayNumber, formatDate, parseDate } from './calendar.ts';
import { findAnchorDay, openingDays } from './opening-days.ts';
import type { RuleDays } from './opening-days.ts';
import { parseRrule } from './parse-rrule.ts';
import type { Moment } from './recurrence-rule.ts';
import { recurringDays } from './recurrence.ts';
import type { TimeZone } from './time-zone.ts';

/** The last day on which a rule may start. */
const LAST_DAY = dayNumber(LAST_YEAR, 12, 31);

/**
 * Why a valid rule never occurs, with the field to change; null when it does, or when that depends on something unknown:
 * a rule that is not created yet is anchored on a day that is not known, and a rule with `local_time` is read in several zones.
 *
 * @param zone the zone that the rule is read in; `anyOther`: it is also read in others than this one
 */
export function findNeverOccurring(
  rule: RuleDays,
  startMinutes: number,
  zone: TimeZone | { anyOther: TimeZone },
): { path: string; message: string } | null {
  const { recurrence, dtstart, exdates } = parseRrule(rule.rrule ?? '');
  const isReadInOthers = 'anyOther' in zone;
  const zoneToUse = isReadInOthers ? zone.anyOther : zone;
  const dependsOnZone =
    (rule.starts_on === null && (dtstart === null || isInstant(dtstart))) ||
    isInstant(recurrence?.until) ||
    exdates.some(isInstant);
  const anchor = !recurrence
    ? parseDate(rule.starts_on ?? '')
    : isReadInOthers && dependsOnZone
      ? null
      : findAnchorDay(rule, dtstart, zoneToUse);
  const never = { path: recurrence ? 'rrule' : 'days', message: NEVER };
  if (recurrence && anchor === null) {
    // Is there any day that it could occur on?
    const days = recurringDays({ ...recurrence, interval: 1 }, 0, LAST_YEAR);
    return days.next(0, LAST_DAY) === null ? never : null;
  }
  const days = openingDays(rule, startMinutes, zoneToUse);
  if (typeof days === 'string' || days.next(anchor ?? 0, LAST_DAY) !== null) {
    return null;
  }
  const end = anchor === null ? null : findEndBefore(anchor, rule, recurrence?.until ?? null);
  return end ?? never;
}

const isInstant = (moment: Moment | null | undefined): boolean => moment?.kind === 'instant';

const NEVER = 'This rule never occurs: no day meets all its conditions.';

/** The field that ends the rule before its first day, or null. */
function findEndBefore(anchor: number, rule: RuleDays, until: Moment | null) {
  const begins = `it begins on ${formatDate(anchor)}${rule.starts_on === null ? ', by DTSTART or the day of its creation' : ''}`;
  if (rule.ends_on !== null && rule.ends_on < formatDate(anchor)) {
    return {
      path: 'ends_on',
      message: `This rule never occurs: ${begins}, and ends_on is before that.`,
    };
  }
  if (until && until.ms < anchor * MS_PER_DAY) {
    return {
      path: 'rrule',
      message: `This rule never occurs: ${begins}, and UNTIL is before that.`,
    };
  }
  return null;
}
