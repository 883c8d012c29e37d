import { LIMITS } from '@placard/protocol';
import type { Problem, RuleInput } from '@placard/protocol/api';
import { checkRule } from '@placard/schedule';
import { z } from 'zod';
import { validationError } from './api-error.ts';

/** Errors and warnings of one rule; paths are relative to the rule. */
type RuleCheck = ReturnType<typeof checkRule>;

export interface CheckRulesDeps<R> {
  /** The check of the schedule engine. */
  check: (rule: R) => RuleCheck;
  yieldToEventLoop: () => Promise<unknown>;
}

/**
 * Checks the rules of a schedule and returns the warnings; throws a validation error that lists every error.
 * Detecting that a rule never occurs takes milliseconds, and a schedule can have hundreds of rules: equal rules are
 * checked once, and the event loop runs between checks.
 */
export async function checkRules<R extends RuleInput>(
  rules: readonly R[],
  { check, yieldToEventLoop }: CheckRulesDeps<R>,
): Promise<Problem[]> {
  const checksByContent = new Map<string, RuleCheck>();
  const checkOnce = async (rule: R): Promise<RuleCheck> => {
    const { id: _id, playlist_id: _playlist, ...checked } = rule;
    const key = JSON.stringify(checked);
    const earlier = checksByContent.get(key);
    if (earlier) {
      return earlier;
    }
    const ruleCheck = check(rule);
    checksByContent.set(key, ruleCheck);
    await yieldToEventLoop();
    return ruleCheck;
  };
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const [index, rule] of rules.entries()) {
    const ruleCheck = await checkOnce(rule);
    const prefixPath = ({ path, message }: Problem) => ({ path: `rules.${index}.${path}`, message });
    problems.push(...ruleCheck.errors.map(prefixPath));
    warnings.push(...ruleCheck.warnings.map(prefixPath));
  }
  if (problems.length > 0) {
    throw validationError(problems);
  }
  return warnings;
}

const rulesSchema = z.object({ rules: z.array(z.unknown()).max(LIMITS.rulesPerSchedule) });
const rruleSchema = z.object({ rrule: z.string().trim().min(1).max(2000) });

/**
 * Checks the recurrence rules in a body that is rejected for another reason. Nothing else is checked, in particular
 * not whether a rule ever occurs, which is slow.
 */
export function findRruleProblems(body: unknown): Problem[] {
  const parsed = rulesSchema.safeParse(body);
  if (!parsed.success) {
    return [];
  }
  return parsed.data.rules.flatMap((rule, index) => {
    const parsedRule = rruleSchema.safeParse(rule);
    if (!parsedRule.success) {
      return [];
    }
    return checkRule(parsedRule.data)
      .errors.filter(({ path }) => path === 'rrule')
      .map(({ message }) => ({ path: `rules.${index}.rrule`, message }));
  });
}
