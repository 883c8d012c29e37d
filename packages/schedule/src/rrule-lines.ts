import { parseMoment } from './parse-moment.ts';
import type { Moment } from './recurrence-rule.ts';

/** The parts of an RRULE. */
export const KNOWN_PARTS = new Set([
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

/** Splits the text into `DTSTART…:…`, `EXDATE…:…`, `RRULE:…` and other lines, or the bare rule. */
export function splitLines(
  text: string,
  problems: string[],
): { body: string; dtstart: Moment | null; exdates: Moment[]; ignored: string[] } {
  const lines = text
    .toUpperCase()
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const bodies: string[] = [];
  const dtstarts: string[] = [];
  const exdateTexts: string[] = [];
  const ignored = new Set<string>();
  for (const line of lines) {
    const [prefix, name] = /^([A-Z-]+)(?:;[^:]*)?:/.exec(line) ?? ['', 'RRULE'];
    const zone = /;TZID=([^;:]*)/.exec(prefix)?.[1];
    if (zone !== undefined) {
      ignored.add(
        `TZID=${zone} is not used: times are read in the time zone of the organization, with local_time in that of the store.`,
      );
    }
    if (name === 'DTSTART') {
      dtstarts.push(line.slice(prefix.length));
    } else if (name === 'EXDATE') {
      exdateTexts.push(...line.slice(prefix.length).split(/\s*,\s*/));
    } else if (name === 'RRULE') {
      bodies.push(line.slice(prefix.length));
    } else if (KNOWN_PARTS.has(name)) {
      bodies.push(line);
    } else {
      problems.push(`${name} is not supported; only RRULE, DTSTART and EXDATE lines are. Remove it.`);
    }
  }
  if (bodies.length === 0) {
    problems.push('There is no RRULE; write for example FREQ=WEEKLY;BYDAY=MO.');
  }
  if (bodies.length > 1) {
    problems.push('There is more than one RRULE; create a separate rule for each.');
  }
  if (dtstarts.length > 1) {
    problems.push('DTSTART is given twice; keep one.');
  }
  const dtstart = dtstarts[0] === undefined ? null : parseMoment(dtstarts[0]);
  if (dtstarts.length > 0 && !dtstart) {
    problems.push(`DTSTART is "${dtstarts[0]}"; write a date as 20261231, or a time as 20261231T090000.`);
  }
  if (dtstart && dtstart.kind !== 'date') {
    ignored.add(
      `The time of DTSTART (${dtstarts[0]}) is not used: it gives the first day; start_time and end_time give the times.`,
    );
  }
  const exdates = exdateTexts.flatMap((text) => {
    const moment = parseMoment(text);
    if (!moment) {
      problems.push(`EXDATE has "${text}"; write dates as 20261225, separated by commas.`);
    } else if (moment.kind !== 'date') {
      ignored.add('The times of EXDATE are not used: no window opens on those days, at any time.');
    }
    return moment ?? [];
  });
  return { body: bodies[0] ?? '', dtstart, exdates, ignored: [...ignored] };
}
