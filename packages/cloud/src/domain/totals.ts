import { LIMITS } from '@placard/protocol';
import type { Problem } from '@placard/protocol/api';

const KINDS = ['schedules', 'rules', 'playlists', 'items', 'folders', 'stores'] as const;

/** How much an organization holds, all schedules and playlists together. */
export type Totals = Record<(typeof KINDS)[number], number>;

/** What is more than screens and cloud are made for; `path` is the field of the request that brought it. */
export function overLimit(totals: Partial<Totals>, path: string): Problem[] {
  return KINDS.flatMap((kind) => {
    const total = totals[kind] ?? 0;
    if (total <= LIMITS[kind]) return [];
    const message = `would make ${total} ${kind} in the organization; it can have ${LIMITS[kind]}. Remove some first`;
    return [{ path, message }];
  });
}
