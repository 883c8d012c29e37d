import type { CompiledRule } from './compile.ts';
import type { DeviceMembership, Schedule, Target } from './types.ts';

/** Who asks: a device by its membership, or a manifest, whose targets all reach the device that holds it. */
export type Asker = DeviceMembership | { readonly reaches: 'all'; readonly base_playlist_id: string | null };

/** From the narrowest kind of target to the widest. */
export const NARROWEST_FIRST = ['device', 'tag', 'store'] as const;

/**
 * How narrowly targets reach an asker: 0 as a device, 1 by a tag, 2 by its store, `Infinity` not at all. In a manifest
 * every schedule reaches; one of whose targets none is known is taken for the widest.
 */
export function reachOf(targets: readonly Target[], asker: Asker): number {
  if ('reaches' in asker && targets.length === 0) return NARROWEST_FIRST.length;
  let narrowest = Infinity;
  for (const target of targets) {
    if ('reaches' in asker || isMember(asker, target))
      narrowest = Math.min(narrowest, NARROWEST_FIRST.indexOf(target.type));
  }
  return narrowest;
}

function isMember(device: DeviceMembership, target: Target): boolean {
  if (target.type === 'device') return target.id === device.id;
  if (target.type === 'store') return target.id === device.store_id;
  return device.tags.includes(target.value);
}

/** The rules that reach the asker; the first active one of them wins. */
export function rulesInOrderFor(rules: readonly CompiledRule[], asker: Asker): CompiledRule[] {
  const known = new Map<Schedule, number>();
  // Once for each schedule: it may have hundreds of rules, and a thousand targets.
  const reachOfRule = ({ schedule }: CompiledRule): number => {
    const held = known.get(schedule) ?? reachOf(schedule.targets, asker);
    known.set(schedule, held);
    return held;
  };
  return rules
    .map((rule) => ({ rule, reach: reachOfRule(rule) }))
    .filter(({ reach }) => reach < Infinity)
    .toSorted((a, b) => comparePrecedence(a.rule, b.rule, a.reach - b.reach))
    .map(({ rule }) => rule);
}

/** Negative when `a` wins over `b`: higher priority, then narrower target, then changed last, then smaller id. */
export function comparePrecedence(a: CompiledRule, b: CompiledRule, byReach: number): number {
  return (
    b.rule.priority - a.rule.priority ||
    byReach ||
    b.updatedAtMs - a.updatedAtMs ||
    compareText(a.rule.id, b.rule.id) ||
    compareText(a.schedule.id, b.schedule.id)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
