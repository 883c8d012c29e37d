import { ApiError, validationError } from '../domain/api-error.ts';
import { findLimitProblems } from '../domain/resource-limits.ts';
import type { ResourceCounts } from '../domain/resource-limits.ts';
import type { Target } from '@placard/schedule';
import type { Repositories } from '../database/cloud-database.ts';
import type { StoreRow } from '../database/stores.ts';

/** Throws when a target names a device or store that does not exist. Tags may be unused. */
export async function requireTargets(repositories: Repositories, targets: readonly Target[]): Promise<void> {
  const ids = (type: 'device' | 'store') =>
    targets.flatMap((target) => (target.type === type ? [target.id] : []));
  const devices = missingFrom(ids('device'), await repositories.devices.findNames(ids('device')));
  if (devices.length > 0) {
    throw new ApiError('DEVICE_NOT_FOUND', `A target names a device that does not exist: ${devices[0]}.`, {
      details: { ids: devices },
    });
  }
  const stores = missingFrom(ids('store'), await repositories.stores.findNames(ids('store')));
  if (stores.length > 0) {
    throw new ApiError('STORE_NOT_FOUND', `A target names a store that does not exist: ${stores[0]}.`, {
      details: { ids: stores },
    });
  }
}

/** The store; throws when it does not exist. */
export async function requireStore(repositories: Repositories, id: string): Promise<StoreRow> {
  const row = await repositories.stores.find(id);
  if (!row) {
    throw new ApiError('STORE_NOT_FOUND', 'The requested store does not exist.');
  }
  return row;
}

export async function requirePlaylists(repositories: Repositories, ids: readonly string[]): Promise<void> {
  const found = await repositories.playlists.findNames([...new Set(ids)]);
  const missing = [...new Set(ids)].filter((id) => !found.has(id));
  if (missing.length > 0) {
    throw new ApiError('PLAYLIST_NOT_FOUND', `A rule names a playlist that does not exist: ${missing[0]}.`, {
      details: { ids: missing },
    });
  }
}

/** Throws when the organization would exceed its resource limits. */
export function requireWithinLimits(counts: Partial<ResourceCounts>, path: string): void {
  const problems = findLimitProblems(counts, path);
  if (problems.length > 0) {
    throw validationError(problems);
  }
}

const missingFrom = (wanted: string[], found: ReadonlyMap<string, unknown>) =>
  wanted.filter((id) => !found.has(id));
