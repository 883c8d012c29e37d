import { LIMITS } from '@placard/protocol';
import type { Problem } from '@placard/protocol/api';

/** What is counted, and what a refusal calls it. */
const NAMES = {
  schedules: 'schedules',
  rules: 'rules',
  targets: 'targets of schedules',
  deployedTargets: 'targets that hold a deployed playlist',
  playlists: 'playlists',
  items: 'items',
  assets: 'assets',
  devices: 'devices',
  deviceTags: 'tags of devices',
  folders: 'folders',
  stores: 'stores',
} as const;
type Kind = keyof typeof NAMES;
const KINDS = [
  'schedules',
  'rules',
  'targets',
  'deployedTargets',
  'playlists',
  'items',
  'assets',
  'devices',
  'deviceTags',
  'folders',
  'stores',
] as const satisfies readonly Kind[];

/** How much an organization holds, all schedules, playlists and devices together. */
export type Totals = Record<Kind, number>;

/** What is more than screens and cloud are made for; `path` is the field of the request that brought it. */
export function overLimit(totals: Partial<Totals>, path: string): Problem[] {
  return KINDS.flatMap((kind) => {
    const total = totals[kind] ?? 0;
    if (total <= LIMITS[kind]) return [];
    const message = `would make ${total} ${NAMES[kind]} in the organization; it can have ${LIMITS[kind]}. Remove some first`;
    return [{ path, message }];
  });
}
