import type { Problem } from '@placard/protocol/api';
import { isActiveWhenever, targetKey } from '@placard/schedule';
import type { Rule, Target } from '@placard/schedule';
import type { ContentSchedule, ManifestContent } from './manifest-content.ts';

/** A schedule as it will be stored. */
export interface CheckedSchedule {
  id: string;
  targets: readonly Target[];
  rules: readonly Rule[];
}

/** Most pairs of rules that are compared; beyond that there are no warnings. About 50 ms. */
const MAX_COMPARISONS = 100_000;

/** A rule that has precedence over others, on all devices that the checked schedule reaches. */
interface UpperRule {
  readonly rule: Rule;
  /** Null: the checked one. */
  readonly scheduleName: string | null;
  /** Whether it also has precedence by its target, or the same, when the priorities are equal. */
  readonly hasSameTargets: boolean;
}

/**
 * A warning for each rule that never wins, because another one has precedence and is active whenever it is: of the same
 * schedule, or of an active one with the same targets and perhaps others. Rules that win only together are not found.
 */
export async function findNeverWinningRules(
  schedule: CheckedSchedule,
  content: ManifestContent,
  nowMs: number,
  yieldIfLong: () => Promise<void>,
): Promise<Problem[]> {
  const uppers = [
    ...schedule.rules.map((rule): UpperRule => ({ rule, scheduleName: null, hasSameTargets: true })),
    ...schedulesAbove(schedule, content).flatMap(({ manifest, hasSameTargets }) =>
      manifest.rules.map((rule): UpperRule => ({ rule, scheduleName: manifest.name, hasSameTargets })),
    ),
  ].toSorted((a, b) => b.rule.priority - a.rule.priority);
  const warnings: Problem[] = [];
  let comparisons = 0;
  for (const [index, rule] of schedule.rules.entries()) {
    for (const upper of uppers) {
      if (upper.rule.priority < rule.priority || comparisons >= MAX_COMPARISONS) {
        break;
      }
      comparisons += 1;
      if (comparisons % 1000 === 0) {
        await yieldIfLong();
      }
      if (hasPrecedence(upper, rule) && isActiveWhenever(upper.rule, rule, nowMs)) {
        const place = upper.scheduleName === null ? 'this schedule' : `the schedule “${upper.scheduleName}”`;
        warnings.push({
          path: `rules.${index}`,
          message: `This rule never wins: ${upper.rule.id} of ${place} has precedence, and is active whenever this one is.`,
        });
        break;
      }
    }
  }
  return warnings;
}

/** Active schedules that reach every device that this one reaches. */
function schedulesAbove({ id, targets }: CheckedSchedule, { targets: byTarget }: ManifestContent) {
  const [firstKey, ...otherKeys] = [...new Set(targets.map(targetKey))];
  if (firstKey === undefined) {
    return [];
  }
  const found = new Map<string, ContentSchedule>();
  for (const key of [firstKey, 'all']) {
    for (const { schedule } of byTarget.get(key)?.schedules ?? []) {
      found.set(schedule.manifest.id, schedule);
    }
  }
  return [...found.values()].flatMap(({ manifest }) => {
    if (manifest.id === id) {
      return [];
    }
    const keys = new Set(manifest.targets.map(targetKey));
    const hasSameTargets = keys.has(firstKey) && otherKeys.every((key) => keys.has(key));
    return hasSameTargets || keys.has('all') ? [{ manifest, hasSameTargets }] : [];
  });
}

/** With a superset of the targets, the narrowest that reaches a device is as narrow or narrower. */
function hasPrecedence({ rule: upper, hasSameTargets }: UpperRule, lower: Rule): boolean {
  if (upper.priority !== lower.priority) {
    return upper.priority > lower.priority;
  }
  const [upperMs, lowerMs] = [upper, lower].map((rule) => Date.parse(rule.updated_at));
  return hasSameTargets && (upperMs! > lowerMs! || (upperMs === lowerMs && upper.id < lower.id));
}
