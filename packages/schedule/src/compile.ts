import { compileRule } from './compiled-rule.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { resolveRules } from './resolved-rules.ts';
import type { ResolvedRules } from './resolved-rules.ts';
import type { TargetedDevice } from './targeting.ts';
import { rulesByPrecedence } from './targeting.ts';
import { parseRrule } from './parse-rrule.ts';
import type { ParsedRrule } from './parse-rrule.ts';
import type { ScheduleSet } from './types.ts';
import { createTimeZone } from './time-zone.ts';
import type { TimeZone } from './time-zone.ts';

/** A schedule set prepared for evaluation. Reuse it as long as the set stays the same. */
export interface CompiledSchedules {
  readonly timezone: string;
  /** The zone of rules with `local_time`; null: the same as `timezone`, because none is known. */
  readonly local_timezone: string | null;
  /** @internal The zones of the rules, by `zoneIndex`: the organization's first. */
  readonly zones: readonly TimeZone[];
  /** @internal */
  readonly rules: readonly CompiledRule[];
  /** @internal */
  resolveFor(device: TargetedDevice): ResolvedRules;
}

/**
 * Most rules that are evaluated for one device, the first in precedence: in the worst case they take 50 ms.
 * The others count as not active, and their candidates say so.
 */
export const MAX_RULES_PER_DEVICE = 500;
/** Most devices whose resolved rules are cached: one for a player; a cloud evaluates one device after another. */
const MAX_CACHED_DEVICES = 64;

/**
 * Makes a set ready. A rule is read when the first device that it matches is looked at. One that cannot be read does
 * not stop the others: it is never active, and its candidate entry says why.
 *
 * @throws RangeError when neither this runtime nor the set knows a time zone.
 */
export function compileSchedules(set: ScheduleSet): CompiledSchedules {
  const { timezone } = set;
  const local_timezone = set.local_timezone ?? null;
  const zones = [...new Set([timezone, local_timezone ?? timezone])].map((name) =>
    createTimeZone(name, set.zones && Object.hasOwn(set.zones, name) ? set.zones[name] : undefined),
  );
  const parsedRrules = new Map<string, ParsedRrule>();
  const parseCached = (text: string) => {
    let parsed = parsedRrules.get(text);
    if (!parsed) {
      parsedRrules.set(text, (parsed = parseRrule(text)));
    }
    return parsed;
  };
  const rules = set.schedules.flatMap((schedule) =>
    schedule.rules.map((rule) => {
      const zoneIndex = rule.local_time === true ? zones.length - 1 : 0;
      return compileRule(rule, schedule, { zone: zones[zoneIndex]!, zoneIndex }, parseCached);
    }),
  );
  const resolvedByDevice = new Map<string, ResolvedRules>();
  return {
    timezone,
    local_timezone,
    zones,
    rules,
    resolveFor(device) {
      const key = 'matches' in device ? '' : JSON.stringify([device.id, device.store_id, device.tags]);
      let resolvedRules = resolvedByDevice.get(key);
      if (!resolvedRules) {
        resolvedRules = resolveRules(rulesByPrecedence(rules, device).slice(0, MAX_RULES_PER_DEVICE));
        if (resolvedByDevice.size === MAX_CACHED_DEVICES) {
          resolvedByDevice.delete(resolvedByDevice.keys().next().value!);
        }
        resolvedByDevice.set(key, resolvedRules);
      }
      return resolvedRules;
    },
  };
}

/** The invalid rules of a manifest, and why they are invalid. Rules for other devices are not checked. */
export function findInvalidRules(compiled: CompiledSchedules): { id: string; reason: string }[] {
  const { rules } = compiled.resolveFor({ matches: 'all', base_playlist_id: null });
  return rules.flatMap(({ rule, invalidReason }) =>
    invalidReason === null ? [] : [{ id: rule.id, reason: invalidReason }],
  );
}
