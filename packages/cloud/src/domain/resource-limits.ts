import { LIMITS } from '@placard/protocol';
import type { Problem } from '@placard/protocol/api';

/** Counted resources and their names in error messages. */
const COUNTED_RESOURCES = [
  ['schedules', 'schedules'],
  ['rules', 'rules'],
  ['targets', 'schedule targets'],
  ['deployedTargets', 'targets with a deployed playlist'],
  ['playlists', 'playlists'],
  ['items', 'items'],
  ['assets', 'assets'],
  ['devices', 'devices'],
  ['deviceTags', 'device tags'],
  ['folders', 'folders'],
  ['stores', 'stores'],
  ['users', 'people'],
  ['openInvitations', 'open invitations'],
] as const;

/** Resource counts of the whole organization. */
export type ResourceCounts = Record<(typeof COUNTED_RESOURCES)[number][0], number>;

/** Resources beyond their limit; `path` is the request field that caused the excess. */
export function findLimitProblems(counts: Partial<ResourceCounts>, path: string): Problem[] {
  return COUNTED_RESOURCES.flatMap(([kind, name]) => {
    const count = counts[kind] ?? 0;
    if (count <= LIMITS[kind]) {
      return [];
    }
    const message = `would make ${count} ${name} in the organization; the limit is ${LIMITS[kind]}. Remove some first`;
    return [{ path, message }];
  });
}
