import { MS_PER_DAY, formatDate, parseDate } from './calendar.ts';
import { parseRrule } from './parse-rrule.ts';
import type { Moment } from './recurrence-rule.ts';
import type { TimeZone } from './time-zone.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const EXDATE_LINE = /^\s*EXDATE[;:]/i;
const ANY_EXDATE_LINE = new RegExp(EXDATE_LINE.source, 'im');

/** What is wrong with the dates, as a sentence; null when nothing is. */
export function exceptionProblem(dates: readonly string[]): string | null {
  const wrong = dates.find(
    (text) => parseDate(text) === null && !(INSTANT.test(text) && !Number.isNaN(Date.parse(text))),
  );
  return wrong === undefined ? null : `except_dates has "${wrong.slice(0, 40)}", which is not a date.`;
}

/**
 * The numbers of the days on which no window opens. A time of day has no effect; an instant stands for the day that it
 * is on in the zone.
 *
 * @param dates `except_dates`, without a problem
 */
export function findExceptDays(
  dates: readonly string[],
  exdates: readonly Moment[],
  zone: TimeZone,
): ReadonlySet<number> {
  const dayOfInstant = (ms: number) => Math.floor(zone.localTimeAtUncached(ms) / MS_PER_DAY);
  return new Set([
    ...dates.map((text) => parseDate(text) ?? dayOfInstant(Date.parse(text))),
    ...exdates.map(({ kind, ms }) => (kind === 'instant' ? dayOfInstant(ms) : Math.floor(ms / MS_PER_DAY))),
  ]);
}

/**
 * The same rule without EXDATE lines: their days are in `except_dates`. Whoever does not know `except_dates` then still
 * understands the rest of the rule. A text that cannot be read stays as it is.
 */
export function moveExdates(
  rrule: string,
  exceptDates: readonly string[],
): { rrule: string; except_dates: readonly string[] } {
  const exdates = ANY_EXDATE_LINE.test(rrule) ? parseRrule(rrule).exdates : [];
  if (exdates.length === 0) {
    return { rrule, except_dates: exceptDates };
  }
  const moved = exdates.map(({ kind, ms }) =>
    kind === 'instant' ? new Date(ms).toISOString() : formatDate(Math.floor(ms / MS_PER_DAY)),
  );
  return {
    rrule: rrule
      .split(/\r?\n/)
      .filter((line) => !EXDATE_LINE.test(line))
      .join('\n'),
    except_dates: [...new Set([...exceptDates, ...moved])],
  };
}
