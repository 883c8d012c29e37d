import { DAY_CODES } from './opening-days.ts';
import {
  MINUTES_PER_DAY,
  MS_PER_DAY,
  MS_PER_MINUTE,
  formatDate,
  formatMinutes,
  weekdayOf,
} from './calendar.ts';
import { MOST_RULES } from './compile.ts';
import type { CompiledRule, CompiledSchedules } from './compile.ts';
import { NARROWEST_FIRST, comparePrecedence, reachOf } from './reach.ts';
import type { Asker } from './reach.ts';
import type { Candidate, Target } from './types.ts';

/** Targets that a sentence names. */
const MOST_NAMED = 10;

/**
 * Every rule of the set with the reason why it wins or does not: those that reach the asker first, the winner on top.
 * A reason is made when it is read: of thousands of rules an operator looks at one page.
 */
export function candidatesOf(compiled: CompiledSchedules, asker: Asker, wallMs: number): Candidate[] {
  const { rules: reaching, at } = compiled.lineupFor(asker);
  const { openSince } = at(wallMs);
  const active = reaching.filter((_rule, index) => openSince(index) !== null);
  const winner = active[0];
  const runnerUp = active[1];
  const clock = formatClock(wallMs);

  const candidate = (rule: CompiledRule, matches: boolean, reason: () => string): Candidate => ({
    schedule_id: rule.schedule.id,
    rule_id: rule.rule.id,
    priority: rule.rule.priority,
    matches,
    wins: rule === winner,
    get reason() {
      return reason();
    },
  });

  const reached = new Set(reaching);
  const others = compiled.rules
    .filter((rule) => !reached.has(rule))
    .toSorted((a, b) => comparePrecedence(a, b, 0));
  const isNowActive = new Set(active);
  return [
    ...reaching
      .toSorted((a, b) => Number(isNowActive.has(b)) - Number(isNowActive.has(a)))
      .map((rule) =>
        candidate(rule, isNowActive.has(rule), () => {
          if (rule.broken !== null) return `Cannot be used: ${rule.broken}`;
          if (!isNowActive.has(rule)) return `Not active: runs ${windowOf(rule)}; the clock reads ${clock}.`;
          if (rule !== winner) return `Active, but ${difference(winner!, rule, asker)}.`;
          return runnerUp
            ? `Wins: ${difference(rule, runnerUp, asker)}.`
            : 'Wins: no other rule is active now.';
        }),
      ),
    ...others.map((rule) =>
      candidate(rule, false, () =>
        reachOf(rule.schedule.targets, asker) < Infinity
          ? `Not looked at: ${MOST_RULES} other rules that reach this device come before it.`
          : `Not for this device: the schedule targets ${targetsOf(rule)}.`,
      ),
    ),
  ];
}

/** What puts one rule before another, as a clause. */
function difference(first: CompiledRule, second: CompiledRule, asker: Asker): string {
  const [a, b] = [first.rule, second.rule];
  if (a.priority !== b.priority)
    return `${a.id} has the higher priority, ${a.priority} over ${b.priority} of ${b.id}`;
  const [reachA, reachB] = [reachOf(first.schedule.targets, asker), reachOf(second.schedule.targets, asker)];
  if (reachA !== reachB)
    return `${a.id} has the narrower target, a ${NARROWEST_FIRST[reachA]} before the ${NARROWEST_FIRST[reachB]} of ${b.id}`;
  if (first.updatedAtMs !== second.updatedAtMs) return `${a.id} was changed later than ${b.id}`;
  return `${a.id} equals ${b.id} in priority, target and time of change, and its id comes first`;
}

function windowOf({ rule, end }: CompiledRule): string {
  const days =
    rule.rrule === null
      ? `on ${(rule.days ?? []).join(', ')}`
      : `by ${rule.rrule.replaceAll(/\s+/g, ' ').trim()}`;
  const from = rule.starts_on === null ? '' : ` from ${rule.starts_on}`;
  const to = rule.ends_on === null ? '' : ` to ${rule.ends_on}`;
  return `${days} at ${rule.start_time}–${rule.end_time}${end > MINUTES_PER_DAY ? ' of the next day' : ''}${from}${to}`;
}

function targetsOf({ schedule: { targets } }: CompiledRule): string {
  if (targets.length === 0) return 'nobody';
  const named = targets.slice(0, MOST_NAMED).map(describeTarget).toSorted().join(', ');
  return targets.length > MOST_NAMED ? `${named} and ${targets.length - MOST_NAMED} more` : named;
}

function describeTarget(target: Target): string {
  return target.type === 'tag' ? `tag ${target.value}` : `${target.type} ${target.id}`;
}

function formatClock(wallMs: number): string {
  const number = Math.floor(wallMs / MS_PER_DAY);
  const minute = Math.floor(wallMs / MS_PER_MINUTE) - number * MINUTES_PER_DAY;
  return `${DAY_CODES[weekdayOf(number)]} ${formatDate(number)} ${formatMinutes(minute)}`;
}
