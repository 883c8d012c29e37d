import type { CompiledRule } from './compile.ts';
import type { DeviceMembership, Target } from './types.ts';

/** Who asks: a device by its membership, or a manifest whose targets all reach the asking device. */
export type Asker = DeviceMembership | { readonly reaches: 'all'; readonly base_playlist_id: string | null };

const NARROWNESS = { device: 0, tag: 1, store: 2 } as const;

/** How narrowly a schedule reaches the asker: 0 by device, 1 by tag, 2 by store, `Infinity` not at all. */
export function reachOf(targets: readonly Target[], asker: Asker): number {
  let narrowest = Infinity;
  for (const target of targets) {
    if ('reaches' in asker || reaches(target, asker))
      narrowest = Math.min(narrowest, NARROWNESS[target.type]);
  }
  return narrowest;
}

function reaches(target: Target, device: DeviceMembership): boolean {
  if (target.type === 'device') return target.id === device.id;
  if (target.type === 'store') return target.id === device.store_id;
  return device.tags.includes(target.value);
}

interface Reaching {
  readonly rule: CompiledRule;
  readonly reach: number;
}

/** Winner first: highest priority, narrowest target, changed last, smallest id. */
export function byPrecedence(a: Reaching, b: Reaching): number {
  return (
    b.rule.rule.priority - a.rule.rule.priority ||
    a.reach - b.reach ||
    b.rule.updatedAtMs - a.rule.updatedAtMs ||
    compareText(a.rule.rule.id, b.rule.rule.id) ||
    compareText(a.rule.schedule.id, b.rule.schedule.id)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
