import type { Target } from './types.ts';

/** Most targets listed in a reason. */
const MAX_NAMED_TARGETS = 10;

/** The targets of a schedule, for a sentence. */
export function describeTargets(targets: readonly Target[]): string {
  if (targets.length === 0) {
    return 'nobody';
  }
  const named = targets.slice(0, MAX_NAMED_TARGETS).map(describeTarget).toSorted().join(', ');
  return targets.length > MAX_NAMED_TARGETS
    ? `${named} and ${targets.length - MAX_NAMED_TARGETS} more`
    : named;
}

function describeTarget(target: Target): string {
  if (target.type === 'all') {
    return 'all devices';
  }
  return target.type === 'tag' ? `tag ${target.value}` : `${target.type} ${target.id}`;
}
