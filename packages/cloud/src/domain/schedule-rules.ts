import type { RuleInput } from '@placard/protocol/api';
import type { Rule } from '@placard/schedule';

/** A rule as stored, without schedule and position. */
export interface StoredRule extends Omit<Rule, 'days' | 'created_at' | 'updated_at'> {
  /** JSON of the day codes. */
  days: string | null;
  /** Milliseconds since 1970. */
  created_at: number;
  updated_at: number;
}

/**
 * Assigns ids to the new rules. A rule sent with an existing id keeps it and `created_at`; `updated_at` changes only
 * if a field differs, because among otherwise equal rules the last updated one wins.
 */
export function assignRuleIds(
  before: readonly StoredRule[],
  sent: readonly RuleInput[],
  newId: () => string,
  nowMs: number,
): StoredRule[] {
  const unclaimed = new Map(before.map((rule) => [rule.id, rule]));
  return sent.map((rule) => {
    const existing = rule.id === undefined ? undefined : unclaimed.get(rule.id);
    if (existing) {
      unclaimed.delete(existing.id);
    }
    const content = {
      playlist_id: rule.playlist_id,
      start_time: rule.start_time,
      end_time: rule.end_time,
      days: rule.days ? JSON.stringify([...new Set(rule.days)]) : null,
      rrule: rule.rrule ?? null,
      priority: rule.priority,
      starts_on: rule.starts_on ?? null,
      ends_on: rule.ends_on ?? null,
    };
    if (!existing) {
      return { id: newId(), ...content, created_at: nowMs, updated_at: nowMs };
    }
    const isUnchanged = JSON.stringify({ ...existing, ...content }) === JSON.stringify(existing);
    return {
      id: existing.id,
      ...content,
      created_at: existing.created_at,
      updated_at: isUnchanged ? existing.updated_at : nowMs,
    };
  });
}
