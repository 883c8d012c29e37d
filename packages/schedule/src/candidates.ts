import { DAY_CODES } from './opening-days.ts';
import {
  MINUTES_PER_DAY,
  MS_PER_DAY,
  MS_PER_MINUTE,
  formatDate,
  formatMinutes,
  weekdayOf,
} from './calendar.ts';
import { describeTargets } from './describe-targets.ts';
import { MAX_RULES_PER_DEVICE } from './compile.ts';
import type { CompiledSchedules } from './compile.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { TARGET_TYPES_BY_SPECIFICITY, comparePrecedence, targetSpecificity } from './targeting.ts';
import type { TargetedDevice } from './targeting.ts';
import type { Candidate, Rule } from './types.ts';

/** Most dates listed in a reason. */
const MAX_NAMED_DATES = 5;

/**
 * Every rule of the set with the reason why it wins or not: first those that target the device, the winner on top.
 * A reason is composed only when it is read: of thousands of rules an operator views one page.
 */
export function listCandidates(
  compiled: CompiledSchedules,
  device: TargetedDevice,
  atMs: number,
): Candidate[] {
  const { rules: matchingRules, windowsAt } = compiled.resolveFor(device);
  const localTimes = compiled.zones.map((zone) => zone.localTimeAt(atMs));
  const windows = localTimes.map(windowsAt);
  const activeRules = matchingRules.filter(
    ({ zoneIndex }, index) => windows[zoneIndex]!.openedOn(index) !== null,
  );
  const winner = activeRules[0];
  const runnerUp = activeRules[1];
  const localTimeTexts = localTimes.map(formatLocalTime);

  const createCandidate = (rule: CompiledRule, matches: boolean, reason: () => string): Candidate => ({
    schedule_id: rule.schedule.id,
    rule_id: rule.rule.id,
    priority: rule.rule.priority,
    matches,
    wins: rule === winner,
    get reason() {
      return reason();
    },
  });

  const matchingSet = new Set(matchingRules);
  const otherRules = compiled.rules
    .filter((rule) => !matchingSet.has(rule))
    .toSorted((a, b) => comparePrecedence(a, b, 0));
  const activeSet = new Set(activeRules);
  return [
    ...matchingRules
      .toSorted((a, b) => Number(activeSet.has(b)) - Number(activeSet.has(a)))
      .map((rule) =>
        createCandidate(rule, activeSet.has(rule), () => {
          if (rule.invalidReason !== null) {
            return `Cannot be used: ${rule.invalidReason}`;
          }
          if (!activeSet.has(rule)) {
            return `Not active: runs ${describeWindow(rule)}; ${nameClock(rule, compiled)} is ${localTimeTexts[rule.zoneIndex]}.`;
          }
          if (rule !== winner) {
            return `Active, but ${explainPrecedence(winner!, rule, device)}.`;
          }
          return runnerUp
            ? `Wins: ${explainPrecedence(rule, runnerUp, device)}.`
            : 'Wins: no other rule is active now.';
        }),
      ),
    ...otherRules.map((rule) =>
      createCandidate(rule, false, () =>
        targetSpecificity(rule.schedule.targets, device) < Infinity
          ? `Not evaluated: ${MAX_RULES_PER_DEVICE} other rules for this device come before it.`
          : `Not for this device: the schedule targets ${describeTargets(rule.schedule.targets)}.`,
      ),
    ),
  ];
}

/** Why one rule has precedence over another, as a clause. */
function explainPrecedence(first: CompiledRule, second: CompiledRule, device: TargetedDevice): string {
  const [a, b] = [first.rule, second.rule];
  if (a.priority !== b.priority) {
    return `${a.id} has the higher priority, ${a.priority} over ${b.priority} of ${b.id}`;
  }
  const [specificityA, specificityB] = [
    targetSpecificity(first.schedule.targets, device),
    targetSpecificity(second.schedule.targets, device),
  ];
  if (specificityA !== specificityB) {
    return `${a.id} has the narrower target, a ${TARGET_TYPES_BY_SPECIFICITY[specificityA]} before ${nameSpecificity(specificityB)} of ${b.id}`;
  }
  if (first.updatedAtMs !== second.updatedAtMs) {
    return `${a.id} was changed later than ${b.id}`;
  }
  return `${a.id} equals ${b.id} in priority, target and time of change, and its id comes first`;
}

const nameSpecificity = (specificity: number): string => {
  const type = TARGET_TYPES_BY_SPECIFICITY[specificity];
  return type === 'all' || type === undefined ? 'the target “all”' : `the ${type}`;
};

/** Whose clock a rule is read by. */
function nameClock({ rule }: CompiledRule, { timezone, local_timezone }: CompiledSchedules): string {
  if (rule.local_time !== true) {
    return 'the local time';
  }
  return local_timezone === null
    ? `the store has no time zone, and the time in that of the organization, ${timezone},`
    : `the time of the store, in ${local_timezone},`;
}

function describeWindow({ rule, end }: CompiledRule): string {
  const days =
    rule.rrule === null
      ? `on ${(rule.days ?? []).join(', ')}`
      : `by ${rule.rrule.replaceAll(/\s+/g, ' ').trim()}`;
  const from = rule.starts_on === null ? '' : ` from ${rule.starts_on}`;
  const to = rule.ends_on === null ? '' : ` to ${rule.ends_on}`;
  return `${days} at ${rule.start_time}–${rule.end_time}${describeEndDay(rule, end)}${from}${to}${describeExceptions(rule)}`;
}

function describeEndDay({ end_day_offset = 0 }: Rule, end: number): string {
  const daysLater = end_day_offset === 0 && end > MINUTES_PER_DAY ? 1 : end_day_offset;
  return daysLater === 0 ? '' : daysLater === 1 ? ' of the next day' : ` ${daysLater} days later`;
}

function describeExceptions({ except_dates = [] }: Rule): string {
  if (except_dates.length === 0) {
    return '';
  }
  const more = except_dates.length - MAX_NAMED_DATES;
  return ` except ${except_dates.slice(0, MAX_NAMED_DATES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function formatLocalTime(localMs: number): string {
  const number = Math.floor(localMs / MS_PER_DAY);
  const minute = Math.floor(localMs / MS_PER_MINUTE) - number * MINUTES_PER_DAY;
  return `${DAY_CODES[weekdayOf(number)]} ${formatDate(number)} ${formatMinutes(minute)}`;
}
