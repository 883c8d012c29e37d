import { LIMITS } from '@placard/protocol';
import type { Problem, RuleInput } from '@placard/protocol/api';
import { z } from 'zod';
import { invalid } from './refusal.ts';

/** What is wrong with one rule, and what is odd about it; paths are within the rule. */
export interface Verdict {
  errors: readonly Problem[];
  warnings: readonly Problem[];
}

export interface CheckRulesDeps {
  /** The check of the engine that will run the rules. */
  check: (rule: RuleInput) => Verdict;
  /** Lets others have their turn. */
  pause: () => Promise<unknown>;
}

/**
 * Checks the rules of a schedule and answers with the warnings; throws the refusal that names every error.
 * A rule that never occurs takes the engine milliseconds to find out, and there may be hundreds of them: equal
 * ones are looked at once, and nobody waits for all of them.
 */
export async function checkRules(
  rules: readonly RuleInput[],
  { check, pause }: CheckRulesDeps,
): Promise<Problem[]> {
  const verdicts = new Map<string, Verdict>();
  const verdictOn = async (rule: RuleInput): Promise<Verdict> => {
    const { start_time, end_time, days, rrule, priority, starts_on, ends_on } = rule;
    const key = JSON.stringify([start_time, end_time, days, rrule, priority, starts_on, ends_on]);
    const known = verdicts.get(key);
    if (known) return known;
    const verdict = check(rule);
    verdicts.set(key, verdict);
    await pause();
    return verdict;
  };
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const [index, rule] of rules.entries()) {
    const verdict = await verdictOn(rule);
    const within = ({ path, message }: Problem) => ({ path: `rules.${index}.${path}`, message });
    problems.push(...verdict.errors.map(within));
    warnings.push(...verdict.warnings.map(within));
  }
  if (problems.length > 0) throw invalid(problems);
  return warnings;
}

const someRules = z.object({ rules: z.array(z.unknown()).max(LIMITS.rulesPerSchedule) });
const withRrule = z.object({ rrule: z.string().trim().min(1).max(2000) });

/**
 * What the engine says of the recurrences in a body that is refused for something else. Of nothing else, and
 * not whether they ever occur: that takes its time.
 */
export function rruleProblems(body: unknown, check: (rule: { rrule: string }) => Verdict): Problem[] {
  const read = someRules.safeParse(body);
  if (!read.success) return [];
  return read.data.rules.flatMap((rule, index) => {
    const given = withRrule.safeParse(rule);
    if (!given.success) return [];
    return check(given.data)
      .errors.filter(({ path }) => path === 'rrule')
      .map(({ message }) => ({ path: `rules.${index}.rrule`, message }));
  });
}
