import type { RuleInput } from '@placard/protocol/api';
import type { Rule } from '@placard/schedule';

/** A rule as stored, without schedule and position. */
export interface StoredRule extends Omit<
  Rule,
  'days' | 'end_day_offset' | 'except_dates' | 'local_time' | 'created_at' | 'updated_at'
> {
  /** JSON of the day codes. */
  days: string | null;
  end_day_offset: number;
  /** JSON of the dates; null when there are none. */
  except_dates: string | null;
  local_time: number;
  /** Milliseconds since 1970. */
  created_at: number;
  updated_at: number;
}

/**
 * Assigns ids to the new rules. A rule sent with an existing id keeps it and `created_at`; `updated_at` changes only
 * if a field differs, because among otherwise equal rules the last updated one wins. Ids ascend, because then the
 * smallest one wins: the first in the list, whatever the ids are.
 */
export function assignRuleIds(
  before: readonly StoredRule[],
  sent: readonly RuleInput[],
  newId: () => string,
  nowMs: number,
): StoredRule[] {
  const unclaimed = new Map(before.map((rule) => [rule.id, rule]));
  const newIds = sent.map(() => newId()).toSorted();
  return sent.map((rule, index) => {
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
      end_day_offset: rule.end_day_offset,
      except_dates: rule.except_dates.length > 0 ? JSON.stringify([...new Set(rule.except_dates)]) : null,
      local_time: rule.local_time ? 1 : 0,
    };
    if (!existing) {
      return { id: newIds[index]!, ...content, created_at: nowMs, updated_at: nowMs };
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
