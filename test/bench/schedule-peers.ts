import * as rruleModule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { ZONE } from './schedule-rules.ts';
import type { BenchRule } from './schedule-rules.ts';

// CommonJS to Node: everything stands under `default`.
// oxlint-disable-next-line import/namespace -- the linter sees the bundlers' side only
const { RRule } = 'default' in rruleModule ? rruleModule.default : rruleModule;

/** A peer made ready: whether each rule is active at an instant and when that next changes, all rules asked. */
export type Peer = (atMs: number) => { active: number; next: number | null };

const MINUTE_MS = 60_000;

/**
 * The `rrule` package as well as it can be used: one parsed object a rule, local time dressed as UTC (never its tzid).
 * It walks from DTSTART, so it is given the rule's own, or one close by.
 */
export function rrulePeer(
  rules: readonly BenchRule[],
  dtstart: (rule: BenchRule) => string,
  offsetMs: number,
): Peer {
  const prepared = rules.map((bench) => {
    const options = RRule.parseString(bench.rrule);
    const startMs = Date.parse(`${dtstart(bench)}T00:00Z`) + bench.startMinutes * MINUTE_MS;
    // Without its cache, which would answer a repeated instant from memory.
    return { rule: new RRule({ ...options, dtstart: new Date(startMs) }, true), bench };
  });
  return (atMs) =>
    ask(prepared, atMs + offsetMs, ({ rule, bench }, wallMs) => [
      rule.before(new Date(wallMs), true)?.getTime() ?? null,
      rule.after(new Date(wallMs))?.getTime() ?? null,
      bench.lengthMinutes,
    ]);
}

/** rrule-temporal with the zone's own time. */
export function temporalPeer(rules: readonly BenchRule[]): Peer {
  const prepared = rules.map((bench) => {
    const start = `${bench.rule.starts_on!.replaceAll('-', '')}T${bench.rule.start_time.replace(':', '')}00`;
    const rule = new RRuleTemporal({ rruleString: `DTSTART;TZID=${ZONE}:${start}\nRRULE:${bench.rrule}` });
    return { rule, bench };
  });
  return (atMs) =>
    ask(prepared, atMs, ({ rule, bench }, instantMs) => [
      rule.previous(new Date(instantMs), true)?.epochMilliseconds ?? null,
      rule.next(new Date(instantMs))?.epochMilliseconds ?? null,
      bench.lengthMinutes,
    ]);
}

function ask<T>(
  prepared: readonly T[],
  atMs: number,
  around: (
    each: T,
    atMs: number,
  ) => readonly [before: number | null, after: number | null, lengthMinutes: number],
): { active: number; next: number | null } {
  let active = 0;
  let next: number | null = null;
  for (const each of prepared) {
    const [before, after, lengthMinutes] = around(each, atMs);
    if (before !== null && atMs < before + lengthMinutes * MINUTE_MS) active++;
    if (after !== null && (next === null || after < next)) next = after;
  }
  return { active, next };
}
