import * as rruleModule from 'rrule';
import { MS_PER_DAY, dayNumber, daysInMonth } from './calendar.ts';
import type { Moment, Recurrence } from './recurrence.ts';

/** What an `rrule` text says, or everything that is wrong with it. */
export type RruleText =
  | {
      readonly recurrence: Recurrence;
      readonly dtstart: Moment | null;
      readonly problems: null;
      /** What stands in the text and has no effect, one sentence each. */
      readonly unused: readonly string[];
    }
  | {
      readonly recurrence: null;
      readonly dtstart: null;
      readonly problems: readonly string[];
      readonly unused: readonly [];
    };

// The package is CommonJS to Node, where all stands under `default`, and an ES module without a default to bundlers.
// oxlint-disable-next-line import/namespace -- the linter sees the bundlers' side only
const { RRule } = 'default' in rruleModule ? rruleModule.default : rruleModule;

/** Far more than any rule needs; a text that is sent must not grow without bounds. */
const LONGEST_TEXT = 2000;
/** Problems that are told of one rule: a text of separators only would have a thousand. */
const MOST_PROBLEMS = 10;
/** A list of a rule may name every day of the longest month. */
const MOST_VALUES = 31;
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/**
 * Reads an RRULE, with or without its `RRULE:` prefix and a `DTSTART` line.
 *
 * @param strictly also asks the `rrule` package, which has the last word on a text that is to be stored. It takes its
 *   time, and is lenient about the values (`INTERVAL=abc`, `BYDAY=XX`, `BYMONTH=13` and `FREQ=FOO` all pass), so each
 *   part is first checked here, where the problem can be named.
 */
export function readRrule(text: string, strictly: 'strictly' | null = null): RruleText {
  if (text.length > LONGEST_TEXT)
    return unreadable([`The rule is longer than ${LONGEST_TEXT} characters; shorten it.`]);
  const problems: string[] = [];
  const { body, dtstart, unused } = readLines(text, problems);
  const parts = splitParts(body, problems);
  const recurrence = readParts(parts, problems);
  // One that is stored goes on as it did, whatever is refused by now.
  if (strictly && problems.length === 0) refuseSpaces(body, problems);
  if (strictly && problems.length === 0) {
    try {
      RRule.parseString([...parts].map(([name, value]) => `${name}=${value}`).join(';'));
    } catch (error) {
      problems.push(`The rule cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  return problems.length > 0 ? unreadable(problems) : { recurrence, dtstart, problems: null, unused };
}

function unreadable(problems: readonly string[]): RruleText {
  return { recurrence: null, dtstart: null, problems: problems.slice(0, MOST_PROBLEMS), unused: [] };
}

/** Tells the lines of the text apart: `DTSTART…:…`, `RRULE:…`, or the bare rule. */
function readLines(
  text: string,
  problems: string[],
): { body: string; dtstart: Moment | null; unused: string[] } {
  const lines = text
    .toUpperCase()
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const bodies: string[] = [];
  const starts: string[] = [];
  const unused: string[] = [];
  for (const line of lines) {
    const [prefix, name] = /^([A-Z-]+)(?:;[^:]*)?:/.exec(line) ?? ['', 'RRULE'];
    const zone = /;TZID=([^;:]*)/.exec(prefix)?.[1];
    if (zone !== undefined)
      unused.push(`TZID=${zone} is not used: times are read in the time zone of the organization.`);
    if (name === 'DTSTART') starts.push(line.slice(prefix.length));
    else if (name === 'RRULE') bodies.push(line.slice(prefix.length));
    else if (KNOWN.has(name)) bodies.push(line);
    else problems.push(`${name} is not supported; only an RRULE and a DTSTART line are. Take it out.`);
  }
  if (bodies.length === 0) problems.push('There is no RRULE; write for example FREQ=WEEKLY;BYDAY=MO.');
  if (bodies.length > 1) problems.push('There is more than one RRULE; make a rule of its own of each.');
  if (starts.length > 1) problems.push('DTSTART stands twice; keep one.');
  const dtstart = starts[0] === undefined ? null : readMoment(starts[0]);
  if (starts.length > 0 && !dtstart)
    problems.push(`DTSTART is "${starts[0]}"; write a date as 20261231, or a time as 20261231T090000.`);
  if (dtstart && dtstart.kind !== 'date')
    unused.push(
      `The time of DTSTART (${starts[0]}) is not used: it gives the first day; start_time and end_time give the times.`,
    );
  return { body: bodies[0] ?? '', dtstart, unused };
}

/** Blanks around the signs of a rule say nothing; one within a value would make another value of it. */
function refuseSpaces(body: string, problems: string[]): void {
  for (const part of body.split(/[;,=]/))
    if (/\S\s+\S/.test(part)) problems.push(`"${part.trim()}" has a space inside; take it out.`);
}

function splitParts(body: string, problems: string[]): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of body.replaceAll(/\s/g, '').split(';')) {
    if (problems.length >= MOST_PROBLEMS) break;
    if (part === '') continue;
    const [name, value, ...more] = part.split('=');
    if (!name || !value || more.length > 0) problems.push(`"${part}" is not a part such as FREQ=WEEKLY.`);
    else if (parts.has(name)) problems.push(`${name} stands twice; keep one.`);
    else parts.set(name, value);
  }
  return parts;
}

function readParts(parts: ReadonlyMap<string, string>, problems: string[]): Recurrence {
  const list = <T>(name: string, read: (text: string) => T | null, hint: string): T[] => {
    const values: T[] = [];
    const texts = parts.get(name)?.split(',') ?? [];
    if (texts.length > MOST_VALUES) {
      problems.push(`${name} has ${texts.length} values; give at most ${MOST_VALUES}.`);
      return [];
    }
    for (const text of texts) {
      const value = read(text);
      if (value === null) problems.push(`${name} has "${text}"; ${hint}.`);
      else values.push(value);
    }
    return values;
  };
  const whole = (name: string, max: number): number | null => {
    const text = parts.get(name);
    if (text === undefined) return null;
    const value = integer(text, 1, max);
    if (value === null) problems.push(`${name} is "${text}"; give a whole number from 1 to ${max}.`);
    return value;
  };

  for (const name of parts.keys()) {
    if (/^BY(HOUR|MINUTE|SECOND)$/.test(name))
      problems.push(`${name} is not supported; start_time and end_time give the time of day. Take it out.`);
    else if (/^BY(WEEKNO|YEARDAY|EASTER)$/.test(name))
      problems.push(`${name} is not supported; say it with BYMONTH, BYMONTHDAY, BYDAY and BYSETPOS.`);
    else if (name === 'DTSTART') problems.push('DTSTART stands on a line of its own, as DTSTART:20261231.');
    else if (!KNOWN.has(name)) problems.push(`${name} is not a part of a recurrence rule. Take it out.`);
  }
  const freqText = parts.get('FREQ');
  const freq = FREQUENCIES.find((name) => name === freqText);
  if (freqText === undefined) {
    if (parts.size > 0 || problems.length === 0)
      problems.push('FREQ is missing; begin with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY.');
  } else if (/^(SECONDLY|MINUTELY|HOURLY)$/.test(freqText)) {
    problems.push(
      `FREQ=${freqText} is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.`,
    );
  } else if (!freq) {
    problems.push(`FREQ is "${freqText}"; use DAILY, WEEKLY, MONTHLY or YEARLY.`);
  }

  const byDay = list(
    'BYDAY',
    readWeekday,
    'use MO, TU, WE, TH, FR, SA, SU, with a number before it such as 1MO or -1FR',
  );
  const byMonthDay = list(
    'BYMONTHDAY',
    (text) => signed(text, 31),
    'use 1 to 31, or -31 to -1 from the end of the month',
  );
  const byMonth = list('BYMONTH', (text) => integer(text, 1, 12), 'use 1 to 12');
  const bySetPos = list('BYSETPOS', (text) => signed(text, 366), 'use 1 to 366, or -366 to -1 from the end');
  const weekStartText = parts.get('WKST') ?? 'MO';
  const weekStart = WEEKDAYS.indexOf(weekStartText);
  if (weekStart < 0) problems.push(`WKST is "${weekStartText}"; use MO, TU, WE, TH, FR, SA or SU.`);
  if (byDay.some(({ nth }) => nth !== 0) && (freq === 'DAILY' || freq === 'WEEKLY'))
    problems.push(`BYDAY may only have numbers (such as 1MO) with FREQ=MONTHLY or YEARLY, not with ${freq}.`);
  if (byMonthDay.length > 0 && freq === 'WEEKLY')
    problems.push('BYMONTHDAY does not go with FREQ=WEEKLY; use FREQ=MONTHLY or DAILY.');
  if (parts.has('BYSETPOS') && !parts.has('BYDAY') && !parts.has('BYMONTHDAY') && !parts.has('BYMONTH'))
    problems.push('BYSETPOS picks from the days that another BY part gives; add BYDAY or BYMONTHDAY.');
  const interval = whole('INTERVAL', 10_000) ?? 1;
  const count = whole('COUNT', 1_000_000);
  const untilText = parts.get('UNTIL');
  const until = untilText === undefined ? null : readMoment(untilText);
  if (untilText !== undefined && !until)
    problems.push(
      `UNTIL is "${untilText}"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.`,
    );
  if (count !== null && until) problems.push('COUNT and UNTIL exclude each other; keep one.');
  return { freq: freq ?? 'DAILY', interval, count, until, byDay, byMonthDay, byMonth, bySetPos, weekStart };
}

const KNOWN = new Set([
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'BYDAY',
  'BYMONTHDAY',
  'BYMONTH',
  'BYSETPOS',
  'WKST',
]);

function integer(text: string, min: number, max: number): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

function signed(text: string, max: number): number | null {
  const match = /^([+-]?)(\d+)$/.exec(text);
  const value = match && integer(match[2]!, 1, max);
  return value && (match[1] === '-' ? -value : value);
}

function readWeekday(text: string): { weekday: number; nth: number } | null {
  const match = /^([+-]?\d+)?([A-Z]{2})$/.exec(text);
  const weekday = match ? WEEKDAYS.indexOf(match[2]!) : -1;
  const nth = match?.[1] === undefined ? 0 : signed(match[1], 53);
  return weekday < 0 || nth === null ? null : { weekday, nth };
}

function readMoment(text: string): Moment | null {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = sixNumbers(match.slice(1, 7));
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const ms = dayNumber(year, month, day) * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
  return { kind: match[4] === undefined ? 'date' : match[7] === 'Z' ? 'instant' : 'wall', ms };
}

function sixNumbers(texts: readonly (string | undefined)[]) {
  const at = (index: number) => Number(texts[index] ?? 0);
  return [at(0), at(1), at(2), at(3), at(4), at(5)] as const;
}
