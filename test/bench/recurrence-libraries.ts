import * as rruleModule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { ZONE } from './schedule-rules.ts';
import type { BenchRule } from './schedule-rules.ts';

// CommonJS for Node: all exports are under `default`.
// oxlint-disable-next-line import/namespace -- the linter sees the bundlers' side only
const { RRule } = 'default' in rruleModule ? rruleModule.default : rruleModule;

/** A prepared library: whether each rule is active at an instant and when that next changes, for all rules. */
export type LibraryQuery = (atMs: number) => { active: number; next: number | null };

const MINUTE_MS = 60_000;

/**
 * The `rrule` package in its best use: one parsed object per rule, local time represented as UTC (never its tzid).
 * It iterates from DTSTART, so it gets that of the rule, or a close one.
 */
export function prepareRrule(
  rules: readonly BenchRule[],
  dtstart: (rule: BenchRule) => string,
  offsetMs: number,
): LibraryQuery {
  const prepared = rules.map((bench) => {
    const options = RRule.parseString(bench.rrule);
    const startMs = Date.parse(`${dtstart(bench)}T00:00Z`) + bench.startMinutes * MINUTE_MS;
    // Without its cache, which would answer a repeated instant from memory.
    return { rule: new RRule({ ...options, dtstart: new Date(startMs) }, true), bench };
  });
  return (atMs) =>
    queryAll(prepared, atMs + offsetMs, ({ rule, bench }, wallMs) => [
      rule.before(new Date(wallMs), true)?.getTime() ?? null,
      rule.after(new Date(wallMs))?.getTime() ?? null,
      bench.lengthMinutes,
    ]);
}

/** rrule-temporal with the rule's own time zone. */
export function prepareRruleTemporal(rules: readonly BenchRule[]): LibraryQuery {
  const prepared = rules.map((bench) => {
    const start = `${bench.rule.starts_on!.replaceAll('-', '')}T${bench.rule.start_time.replace(':', '')}00`;
    const rule = new RRuleTemporal({ rruleString: `DTSTART;TZID=${ZONE}:${start}\nRRULE:${bench.rrule}` });
    return { rule, bench };
  });
  return (atMs) =>
    queryAll(prepared, atMs, ({ rule, bench }, instantMs) => [
      rule.previous(new Date(instantMs), true)?.epochMilliseconds ?? null,
      rule.next(new Date(instantMs))?.epochMilliseconds ?? null,
      bench.lengthMinutes,
    ]);
}

function queryAll<T>(
  prepared: readonly T[],
  atMs: number,
  occurrencesAround: (
    each: T,
    atMs: number,
  ) => readonly [before: number | null, after: number | null, lengthMinutes: number],
): { active: number; next: number | null } {
  let active = 0;
  let next: number | null = null;
  for (const each of prepared) {
    const [before, after, lengthMinutes] = occurrencesAround(each, atMs);
    if (before !== null && atMs < before + lengthMinutes * MINUTE_MS) {
      active++;
    }
    if (after !== null && (next === null || after < next)) {
      next = after;
    }
  }
  return { active, next };
}
