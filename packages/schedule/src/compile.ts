import { MINUTES_PER_DAY } from './calendar.ts';
import { noDays } from './day-set.ts';
import type { DaySet } from './day-set.ts';
import { createLineup } from './lineup.ts';
import type { Lineup } from './lineup.ts';
import { openingDays } from './opening-days.ts';
import type { Asker } from './reach.ts';
import { rulesInOrderFor } from './reach.ts';
import { readRrule } from './rrule-text.ts';
import type { RruleText } from './rrule-text.ts';
import { parseTime } from './times.ts';
import type { Rule, Schedule, ScheduleSet } from './types.ts';
import { createZone } from './zone.ts';
import type { Zone } from './zone.ts';

/** A rule turned into day numbers and minutes. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly schedule: Schedule;
  readonly updatedAtMs: number;
  /** The days on which a window opens. */
  readonly days: DaySet;
  /** Minutes of the day at which it opens. */
  readonly start: number;
  /** Minutes after that day's midnight at which it closes; at most a day after the start. */
  readonly end: number;
  /** Why the rule cannot be used, so that it is never active; null when it is sound. */
  readonly broken: string | null;
}

/** A schedule set made ready for questions. Keep it as long as the set stays the same. */
export interface CompiledSchedules {
  readonly timezone: string;
  /** @internal */
  readonly zone: Zone;
  /** @internal */
  readonly rules: readonly CompiledRule[];
  /** @internal */
  lineupFor(asker: Asker): Lineup;
}

/** How many askers' lineups are kept: one for a player; a cloud asks for one device after another. */
const KEPT_ASKERS = 64;

/**
 * Compiles all rules of a set. A rule that cannot be read does not stop the others: it is never active, and its
 * candidate entry says why.
 *
 * @throws RangeError when this runtime does not know the time zone.
 */
export function compileSchedules(set: ScheduleSet): CompiledSchedules {
  const zone = createZone(set.timezone);
  const texts = new Map<string, RruleText>();
  const read = (text: string) => {
    let known = texts.get(text);
    if (!known) texts.set(text, (known = readRrule(text)));
    return known;
  };
  const rules = set.schedules.flatMap((schedule) =>
    schedule.rules.map((rule) => compileRule(rule, schedule, zone, read)),
  );
  const kept = new Map<string, Lineup>();
  return {
    timezone: set.timezone,
    zone,
    rules,
    lineupFor(asker) {
      const key = 'reaches' in asker ? '' : JSON.stringify([asker.id, asker.store_id, asker.tags]);
      let lineup = kept.get(key);
      if (!lineup) {
        lineup = createLineup(rulesInOrderFor(rules, asker));
        if (kept.size === KEPT_ASKERS) kept.delete(kept.keys().next().value!);
        kept.set(key, lineup);
      }
      return lineup;
    },
  };
}

function compileRule(rule: Rule, schedule: Schedule, zone: Zone, read: typeof readRrule): CompiledRule {
  const start = parseTime(rule.start_time);
  const end = parseTime(rule.end_time);
  const days =
    start === null || start === MINUTES_PER_DAY
      ? `start_time "${rule.start_time}" is not a time from 00:00 to 23:59.`
      : end === null
        ? `end_time "${rule.end_time}" is not a time from 00:00 to 24:00.`
        : openingDays(rule, start, zone, read);
  const shared = { rule, schedule, updatedAtMs: Date.parse(rule.updated_at) || 0 };
  if (typeof days === 'string') return { ...shared, days: noDays, start: 0, end: 0, broken: days };
  return { ...shared, days, start: start!, end: end! > start! ? end! : end! + MINUTES_PER_DAY, broken: null };
}
