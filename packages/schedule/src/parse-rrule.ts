import * as rruleModule from 'rrule';
import { parseMoment } from './parse-moment.ts';
import type { Moment, Recurrence } from './recurrence-rule.ts';
import { KNOWN_PARTS, splitLines } from './rrule-lines.ts';

/** A parsed `rrule`, or everything that is wrong with it. */
export type ParsedRrule =
  | {
      readonly recurrence: Recurrence;
      readonly dtstart: Moment | null;
      /** Of all EXDATE lines. */
      readonly exdates: readonly Moment[];
      readonly problems: null;
      /** Parts of the text without effect, one sentence each. */
      readonly ignored: readonly string[];
    }
  | {
      readonly recurrence: null;
      readonly dtstart: null;
      readonly exdates: readonly [];
      readonly problems: readonly string[];
      readonly ignored: readonly [];
    };

// The package is CommonJS in Node (all exports are under `default`), and an ES module without a default in bundlers.
// oxlint-disable-next-line import/namespace -- the linter sees only the bundlers' side
const { RRule }: Pick<typeof rruleModule, 'RRule'> = Reflect.get(rruleModule, 'default') ?? rruleModule;

/** Far more than any rule needs; bounds the size of the input. */
const MAX_TEXT_LENGTH = 2000;
/** Most problems reported for one rule: a text of separators only would have a thousand. */
const MAX_PROBLEMS = 10;
/** A list may name every day of the longest month. */
const MAX_VALUES = 31;
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/**
 * Parses an RRULE, with or without its `RRULE:` prefix, a `DTSTART` line and `EXDATE` lines.
 *
 * @param strictness `strict` also validates with the `rrule` package, before a text is stored. The package is slow and
 *   lenient about values (`INTERVAL=abc`, `BYDAY=XX`, `BYMONTH=13` and `FREQ=FOO` all pass), so each part is first
 *   checked here, where the problem can be named.
 */
export function parseRrule(text: string, strictness: 'strict' | null = null): ParsedRrule {
  if (text.length > MAX_TEXT_LENGTH) {
    return invalidRrule([`The rule is longer than ${MAX_TEXT_LENGTH} characters; shorten it.`]);
  }
  const problems: string[] = [];
  const { body, dtstart, exdates, ignored } = splitLines(text, problems);
  const parts = splitParts(body, problems);
  const recurrence = parseParts(parts, problems);
  // Stored rules keep working even when they would be rejected now.
  if (strictness && problems.length === 0) {
    rejectSpaces(body, problems);
  }
  if (strictness && problems.length === 0) {
    try {
      RRule.parseString([...parts].map(([name, value]) => `${name}=${value}`).join(';'));
    } catch (error) {
      problems.push(`The rule cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  return problems.length > 0
    ? invalidRrule(problems)
    : { recurrence, dtstart, exdates, problems: null, ignored };
}

function invalidRrule(problems: readonly string[]): ParsedRrule {
  return {
    recurrence: null,
    dtstart: null,
    exdates: [],
    problems: problems.slice(0, MAX_PROBLEMS),
    ignored: [],
  };
}

/** Spaces around separators are ignored; a space within a value would change the value. */
function rejectSpaces(body: string, problems: string[]): void {
  for (const part of body.split(/[;,=]/)) {
    if (/\S\s+\S/.test(part)) {
      problems.push(`"${part.trim()}" contains a space; remove it.`);
    }
  }
}

function splitParts(body: string, problems: string[]): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of body.replaceAll(/\s/g, '').split(';')) {
    if (problems.length >= MAX_PROBLEMS) {
      break;
    }
    if (part === '') {
      continue;
    }
    const [name, value, ...more] = part.split('=');
    if (!name || !value || more.length > 0) {
      problems.push(`"${part}" is not a part such as FREQ=WEEKLY.`);
    } else if (parts.has(name)) {
      problems.push(`${name} is given twice; keep one.`);
    } else {
      parts.set(name, value);
    }
  }
  return parts;
}

function parseParts(parts: ReadonlyMap<string, string>, problems: string[]): Recurrence {
  const list = <T>(name: string, parse: (text: string) => T | null, hint: string): T[] => {
    const values: T[] = [];
    const texts = parts.get(name)?.split(',') ?? [];
    if (texts.length > MAX_VALUES) {
      problems.push(`${name} has ${texts.length} values; give at most ${MAX_VALUES}.`);
      return [];
    }
    for (const text of texts) {
      const value = parse(text);
      if (value === null) {
        problems.push(`${name} has "${text}"; ${hint}.`);
      } else {
        values.push(value);
      }
    }
    return values;
  };
  const positiveInteger = (name: string, max: number): number | null => {
    const text = parts.get(name);
    if (text === undefined) {
      return null;
    }
    const value = parseInteger(text, 1, max);
    if (value === null) {
      problems.push(`${name} is "${text}"; give a whole number from 1 to ${max}.`);
    }
    return value;
  };

  for (const name of parts.keys()) {
    if (/^BY(HOUR|MINUTE|SECOND)$/.test(name)) {
      problems.push(`${name} is not supported; start_time and end_time give the time of day. Remove it.`);
    } else if (/^BY(WEEKNO|YEARDAY|EASTER)$/.test(name)) {
      problems.push(`${name} is not supported; use BYMONTH, BYMONTHDAY, BYDAY and BYSETPOS.`);
    } else if (name === 'DTSTART') {
      problems.push('DTSTART must be on a line of its own, as DTSTART:20261231.');
    } else if (!KNOWN_PARTS.has(name)) {
      problems.push(`${name} is not a part of a recurrence rule. Remove it.`);
    }
  }
  const freqText = parts.get('FREQ');
  const freq = FREQUENCIES.find((name) => name === freqText);
  if (freqText === undefined) {
    if (parts.size > 0 || problems.length === 0) {
      problems.push('FREQ is missing; begin with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY.');
    }
  } else if (/^(SECONDLY|MINUTELY|HOURLY)$/.test(freqText)) {
    problems.push(
      `FREQ=${freqText} is not supported; use DAILY, WEEKLY, MONTHLY or YEARLY and the times of the rule.`,
    );
  } else if (!freq) {
    problems.push(`FREQ is "${freqText}"; use DAILY, WEEKLY, MONTHLY or YEARLY.`);
  }

  const byDay = list(
    'BYDAY',
    parseWeekday,
    'use MO, TU, WE, TH, FR, SA, SU, with a number before it such as 1MO or -1FR',
  );
  const byMonthDay = list(
    'BYMONTHDAY',
    (text) => parseSignedInteger(text, 31),
    'use 1 to 31, or -31 to -1 from the end of the month',
  );
  const byMonth = list('BYMONTH', (text) => parseInteger(text, 1, 12), 'use 1 to 12');
  const bySetPos = list(
    'BYSETPOS',
    (text) => parseSignedInteger(text, 366),
    'use 1 to 366, or -366 to -1 from the end',
  );
  const weekStartText = parts.get('WKST') ?? 'MO';
  const weekStart = WEEKDAYS.indexOf(weekStartText);
  if (weekStart < 0) {
    problems.push(`WKST is "${weekStartText}"; use MO, TU, WE, TH, FR, SA or SU.`);
  }
  if (byDay.some(({ nth }) => nth !== 0) && (freq === 'DAILY' || freq === 'WEEKLY')) {
    problems.push(`BYDAY may only have numbers (such as 1MO) with FREQ=MONTHLY or YEARLY, not with ${freq}.`);
  }
  if (byMonthDay.length > 0 && freq === 'WEEKLY') {
    problems.push('BYMONTHDAY cannot be combined with FREQ=WEEKLY; use FREQ=MONTHLY or DAILY.');
  }
  if (parts.has('BYSETPOS') && !parts.has('BYDAY') && !parts.has('BYMONTHDAY') && !parts.has('BYMONTH')) {
    problems.push('BYSETPOS picks from the days that another BY part gives; add BYDAY or BYMONTHDAY.');
  }
  const interval = positiveInteger('INTERVAL', 10_000) ?? 1;
  const count = positiveInteger('COUNT', 1_000_000);
  const untilText = parts.get('UNTIL');
  const until = untilText === undefined ? null : parseMoment(untilText);
  if (untilText !== undefined && !until) {
    problems.push(
      `UNTIL is "${untilText}"; write a date as 20261231, or a time as 20261231T180000 or 20261231T180000Z.`,
    );
  }
  if (count !== null && until) {
    problems.push('COUNT and UNTIL cannot be combined; keep one.');
  }
  return { freq: freq ?? 'DAILY', interval, count, until, byDay, byMonthDay, byMonth, bySetPos, weekStart };
}

function parseInteger(text: string, min: number, max: number): number | null {
  if (!/^\d{1,9}$/.test(text)) {
    return null;
  }
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

function parseSignedInteger(text: string, max: number): number | null {
  const match = /^([+-]?)(\d+)$/.exec(text);
  const value = match && parseInteger(match[2]!, 1, max);
  return value && (match[1] === '-' ? -value : value);
}

function parseWeekday(text: string): { weekday: number; nth: number } | null {
  const match = /^([+-]?\d+)?([A-Z]{2})$/.exec(text);
  const weekday = match ? WEEKDAYS.indexOf(match[2]!) : -1;
  const nth = match?.[1] === undefined ? 0 : parseSignedInteger(match[1], 53);
  return weekday < 0 || nth === null ? null : { weekday, nth };
}
