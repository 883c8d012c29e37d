import { describeTargets } from './describe-targets.ts';
import { comparePrecedence } from './targeting.ts';
import type { ScheduledRule } from './targeting.ts';
import type { Candidate, Schedule } from './types.ts';

/** The rules of the schedules in the order of their precedence, whatever they target. */
export const rulesInOrder = (schedules: readonly Schedule[]): ScheduledRule[] =>
  schedules
    .flatMap((schedule) =>
      schedule.rules.map((rule) => ({ rule, schedule, updatedAtMs: Date.parse(rule.updated_at) || 0 })),
    )
    .toSorted((a, b) => comparePrecedence(a, b, 0));

/** The rule as a candidate for a device that its schedule does not target. */
export const untargetedCandidate = ({ rule, schedule }: ScheduledRule): Candidate => ({
  schedule_id: schedule.id,
  rule_id: rule.id,
  priority: rule.priority,
  matches: false,
  wins: false,
  reason: `Not for this device: the schedule targets ${describeTargets(schedule.targets)}.`,
});
