import { LIMITS } from '@placard/protocol';
import type { Problem } from '@placard/protocol/api';

/** What is counted, and what a refusal calls it. */
const COUNTED = [
  ['schedules', 'schedules'],
  ['rules', 'rules'],
  ['targets', 'targets of schedules'],
  ['deployedTargets', 'targets that hold a deployed playlist'],
  ['playlists', 'playlists'],
  ['items', 'items'],
  ['assets', 'assets'],
  ['devices', 'devices'],
  ['deviceTags', 'tags of devices'],
  ['folders', 'folders'],
  ['stores', 'stores'],
] as const;

/** How much an organization holds, all schedules, playlists and devices together. */
export type Totals = Record<(typeof COUNTED)[number][0], number>;

/** What is more than screens and cloud are made for; `path` is the field of the request that brought it. */
export function overLimit(totals: Partial<Totals>, path: string): Problem[] {
  return COUNTED.flatMap(([kind, name]) => {
    const total = totals[kind] ?? 0;
    if (total <= LIMITS[kind]) return [];
    const message = `would make ${total} ${name} in the organization; it can have ${LIMITS[kind]}. Remove some first`;
    return [{ path, message }];
  });
}
