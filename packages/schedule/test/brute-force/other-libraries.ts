import * as rruleModule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';

// CommonJS in Node: all exports are under `default`.
// oxlint-disable-next-line import/namespace -- the linter sees only the bundlers' side
const { RRule } = 'default' in rruleModule ? rruleModule.default : rruleModule;

const MS_PER_DAY = 86_400_000;

/** The days of a rule in `[anchor, to]` according to rrule-temporal, in UTC, at noon. */
export function daysByTemporal(text: string, anchor: number, to: number): number[] {
  const rule = new RRuleTemporal({ rruleString: `DTSTART:${stamp(anchor)}\nRRULE:${atNoon(text)}` });
  return rule
    .between(new Date(anchor * MS_PER_DAY), new Date((to + 1) * MS_PER_DAY), true)
    .map((occurrence) => Math.floor(occurrence.epochMilliseconds / MS_PER_DAY));
}

/**
 * The next occurrence after an instant according to rrule-temporal, in a zone.
 *
 * @returns with `perhapsNever` the search ends after 366 days: the library throws when nothing is found
 */
export function temporalIn(zone: string, text: string, anchor: string, time: string) {
  const start = `${anchor.replaceAll('-', '')}T${time.replace(':', '')}00`;
  const rule = new RRuleTemporal({ rruleString: `DTSTART;TZID=${zone}:${start}\nRRULE:${text}` });
  return (atMs: number, perhapsNever: boolean): number | null => {
    const next = perhapsNever
      ? rule.between(new Date(atMs), new Date(atMs + 366 * MS_PER_DAY))[0]
      : rule.next(new Date(atMs));
    return next?.epochMilliseconds ?? null;
  };
}

/** The same by the `rrule` package. Slow, and does not end for a rule that never occurs. */
export function daysByRrule(text: string, anchor: number, to: number): number[] {
  const rule = new RRule({
    ...RRule.parseString(atNoon(text)),
    dtstart: new Date(anchor * MS_PER_DAY + MS_PER_DAY / 2),
  });
  return rule
    .between(new Date(anchor * MS_PER_DAY), new Date((to + 1) * MS_PER_DAY), true)
    .map((occurrence) => Math.floor(occurrence.getTime() / MS_PER_DAY));
}

/** Both need UNTIL in the format of DTSTART. */
function atNoon(text: string): string {
  return text.replace(/UNTIL=(\d{8})(?!T)/, 'UNTIL=$1T120000Z');
}

function stamp(day: number): string {
  return `${new Date(day * MS_PER_DAY).toISOString().slice(0, 10).replaceAll('-', '')}T120000Z`;
}
