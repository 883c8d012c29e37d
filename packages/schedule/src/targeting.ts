import type { CompiledRule } from './compiled-rule.ts';
import type { DeviceMembership, Schedule, Target } from './types.ts';

/** A device by its membership, or a manifest, whose targets all match the device that holds it. */
export type TargetedDevice = (DeviceMembership | { readonly matches: 'all' }) & {
  /** Playlist deployed to the device; shown when no rule is active. */
  readonly base_playlist_id: string | null;
};

/** From the narrowest type of target to the widest. */
export const TARGET_TYPES_BY_SPECIFICITY = ['device', 'tag', 'store', 'all'] as const;

/**
 * How specific the narrowest matching target is. Smaller is more specific, unlike in CSS: 0 is a device, 1 a tag, 2 a
 * store, 3 all devices, `Infinity` no match. In a manifest every schedule matches; one of whose targets none is known is taken for the
 * widest.
 */
export function targetSpecificity(targets: readonly Target[], device: TargetedDevice): number {
  if ('matches' in device && targets.length === 0) {
    return TARGET_TYPES_BY_SPECIFICITY.length;
  }
  let mostSpecific = Infinity;
  for (const target of targets) {
    if ('matches' in device || matchesDevice(device, target)) {
      mostSpecific = Math.min(mostSpecific, TARGET_TYPES_BY_SPECIFICITY.indexOf(target.type));
    }
  }
  return mostSpecific;
}

function matchesDevice(device: DeviceMembership, target: Target): boolean {
  if (target.type === 'all') {
    return true;
  }
  if (target.type === 'device') {
    return target.id === device.id;
  }
  if (target.type === 'store') {
    return target.id === device.store_id;
  }
  return device.tags.includes(target.value);
}

/** The rules that match the device; the first active one of them wins. */
export function rulesByPrecedence(rules: readonly CompiledRule[], device: TargetedDevice): CompiledRule[] {
  const specificityBySchedule = new Map<Schedule, number>();
  // Computed once per schedule: it may have hundreds of rules and a thousand targets.
  const ruleSpecificity = ({ schedule }: CompiledRule): number => {
    const specificity = specificityBySchedule.get(schedule) ?? targetSpecificity(schedule.targets, device);
    specificityBySchedule.set(schedule, specificity);
    return specificity;
  };
  return rules
    .map((rule) => ({ rule, specificity: ruleSpecificity(rule) }))
    .filter(({ specificity }) => specificity < Infinity)
    .toSorted((a, b) => comparePrecedence(a.rule, b.rule, a.specificity - b.specificity))
    .map(({ rule }) => rule);
}

/** A rule with its schedule. */
export type ScheduledRule = Pick<CompiledRule, 'rule' | 'schedule' | 'updatedAtMs'>;

/** Negative when `a` wins over `b`: higher priority, then narrower target, then changed last, then smaller id. */
export function comparePrecedence(a: ScheduledRule, b: ScheduledRule, specificityDifference: number): number {
  return (
    b.rule.priority - a.rule.priority ||
    specificityDifference ||
    b.updatedAtMs - a.updatedAtMs ||
    compareText(a.rule.id, b.rule.id) ||
    compareText(a.schedule.id, b.schedule.id)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
