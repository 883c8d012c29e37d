import type { RuleInput } from '@placard/protocol/api';

/** A rule as it is stored, without its place. */
export interface StoredRule {
  id: string;
  playlist_id: string;
  start_time: string;
  end_time: string;
  /** JSON of the day codes. */
  days: string | null;
  rrule: string | null;
  priority: number;
  starts_on: string | null;
  ends_on: string | null;
  created_at: number;
  updated_at: number;
}

const FIELDS = [
  'playlist_id',
  'start_time',
  'end_time',
  'days',
  'rrule',
  'priority',
  'starts_on',
  'ends_on',
] as const;

/**
 * New rules with ids. A rule sent with its id keeps it and its birthday; it counts as changed only when
 * something in it is different, for the rule changed last wins among equals.
 */
export function matchRules(
  before: readonly StoredRule[],
  sent: readonly RuleInput[],
  newId: () => string,
  nowMs: number,
): StoredRule[] {
  const free = new Map(before.map((rule) => [rule.id, rule]));
  return sent.map((rule) => {
    const held = rule.id === undefined ? undefined : free.get(rule.id);
    if (held) free.delete(held.id);
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
    if (!held) return { id: newId(), ...content, created_at: nowMs, updated_at: nowMs };
    const same = FIELDS.every((field) => content[field] === held[field]);
    return {
      id: held.id,
      ...content,
      created_at: held.created_at,
      updated_at: same ? held.updated_at : nowMs,
    };
  });
}
