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

/** A rule as day numbers and minutes. */
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

/**
 * The rules that are looked at for one asker, first in precedence: the worst of them together take 50 ms.
 * The others count as not active, and their candidate entries say so.
 */
export const MOST_RULES = 500;
/** How many askers' lineups are kept: one for a player; a cloud asks for one device after another. */
const KEPT_ASKERS = 64;

/**
 * Makes a set ready. A rule is read when the first asker whom it reaches is looked at. One that cannot be read does
 * not stop the others: it is never active, and its candidate entry says why.
 *
 * @throws RangeError when neither this runtime nor the set knows the time zone.
 */
export function compileSchedules(set: ScheduleSet): CompiledSchedules {
  const { zones, timezone } = set;
  const zone = createZone(timezone, zones && Object.hasOwn(zones, timezone) ? zones[timezone] : undefined);
  const texts = new Map<string, RruleText>();
  const read = (text: string) => {
    let known = texts.get(text);
    if (!known) texts.set(text, (known = readRrule(text)));
    return known;
  };
  const rules = set.schedules.flatMap((schedule) =>
    schedule.rules.map((rule) => whenNeeded(rule, schedule, () => compileRule(rule, zone, read))),
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
        lineup = createLineup(rulesInOrderFor(rules, asker).slice(0, MOST_RULES));
        if (kept.size === KEPT_ASKERS) kept.delete(kept.keys().next().value!);
        kept.set(key, lineup);
      }
      return lineup;
    },
  };
}

/** The rules of a manifest that cannot be read, and why. Others' rules are not looked at. */
export function brokenRules(compiled: CompiledSchedules): { id: string; reason: string }[] {
  const { rules } = compiled.lineupFor({ reaches: 'all', base_playlist_id: null });
  return rules.flatMap(({ rule, broken }) => (broken === null ? [] : [{ id: rule.id, reason: broken }]));
}

type RuleTimes = Pick<CompiledRule, 'days' | 'start' | 'end' | 'broken'>;

function whenNeeded(rule: Rule, schedule: Schedule, compile: () => RuleTimes): CompiledRule {
  let times: RuleTimes | null = null;
  const read = () => (times ??= compile());
  return {
    rule,
    schedule,
    updatedAtMs: Date.parse(rule.updated_at) || 0,
    get days() {
      return read().days;
    },
    get start() {
      return read().start;
    },
    get end() {
      return read().end;
    },
    get broken() {
      return read().broken;
    },
  };
}

function compileRule(rule: Rule, zone: Zone, read: typeof readRrule): RuleTimes {
  const start = parseTime(rule.start_time);
  const end = parseTime(rule.end_time);
  const days =
    start === null || start === MINUTES_PER_DAY
      ? `start_time "${rule.start_time}" is not a time from 00:00 to 23:59.`
      : end === null
        ? `end_time "${rule.end_time}" is not a time from 00:00 to 24:00.`
        : openingDays(rule, start, zone, read);
  if (typeof days === 'string') return { days: noDays, start: 0, end: 0, broken: days };
  return { days, start: start!, end: end! > start! ? end! : end! + MINUTES_PER_DAY, broken: null };
}
