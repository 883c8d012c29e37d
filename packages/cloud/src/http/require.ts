import { invalid, refusal } from '../domain/refusal.ts';
import { overLimit } from '../domain/totals.ts';
import type { Totals } from '../domain/totals.ts';
import type { Target } from '../domain/reach.ts';
import type { Repositories } from '../store/store.ts';

/** Refuses when a target names a device or a store that does not exist. A tag needs no device yet. */
export async function requireTargets(from: Repositories, targets: readonly Target[]): Promise<void> {
  const ids = (type: 'device' | 'store') =>
    targets.flatMap((target) => (target.type === type ? [target.id] : []));
  const devices = missing(ids('device'), await from.devices.existing(ids('device')));
  if (devices.length > 0)
    throw refusal('DEVICE_NOT_FOUND', `A target names a device that does not exist: ${devices[0]}.`, {
      details: { ids: devices },
    });
  const stores = missing(ids('store'), await from.stores.existing(ids('store')));
  if (stores.length > 0)
    throw refusal('STORE_NOT_FOUND', `A target names a store that does not exist: ${stores[0]}.`, {
      details: { ids: stores },
    });
}

export async function requireStore(from: Repositories, id: string): Promise<void> {
  if (!(await from.stores.existing([id])).has(id))
    throw refusal('STORE_NOT_FOUND', 'The requested store does not exist.');
}

export async function requirePlaylists(from: Repositories, ids: readonly string[]): Promise<void> {
  const found = await from.playlists.existing([...new Set(ids)]);
  const missing = [...new Set(ids)].filter((id) => !found.has(id));
  if (missing.length > 0)
    throw refusal('PLAYLIST_NOT_FOUND', `A rule names a playlist that does not exist: ${missing[0]}.`, {
      details: { ids: missing },
    });
}

/** Refuses when the organization would hold more than screens and cloud are made for. */
export function requireRoom(totals: Partial<Totals>, path: string): void {
  const problems = overLimit(totals, path);
  if (problems.length > 0) throw invalid(problems);
}

const missing = (wanted: string[], found: ReadonlySet<string>) => wanted.filter((id) => !found.has(id));
