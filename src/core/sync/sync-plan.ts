import type { Fault, FaultCode, ManifestAsset } from '@placard/protocol';
import { activePlaylistAt, listPlaylistAssets } from '../playback/compiled-manifest.ts';
import type { CompiledManifest } from '../playback/compiled-manifest.ts';

/** The latest failure of an asset. */
export interface SyncProblem {
  readonly code: FaultCode;
  readonly attempts: number;
  /** How often each fault counted against this file; network errors do not count. */
  readonly failureCounts: FailureCounts;
  /** Milliseconds by the monotonic clock. */
  readonly retryAtMonoMs: number;
}

export type FailureCounts = Readonly<Partial<Record<FaultCode, number>>>;

/** Input of the sync plan. */
export interface SyncState {
  readonly held: CompiledManifest | null;
  /** Null when it is the held manifest. */
  readonly target: CompiledManifest | null;
  /** Hashes of verified media. */
  readonly cachedMedia: ReadonlySet<string>;
  /** Hashes being downloaded now. */
  readonly downloading: ReadonlySet<string>;
  readonly problems: ReadonlyMap<string, SyncProblem>;
  /** How many downloads may run side by side. */
  readonly maxParallelDownloads: number;
}

export type SyncStep =
  | { kind: 'download'; asset: ManifestAsset }
  /** Makes the target the held manifest. */
  | { kind: 'promote' };

export interface SyncPlan {
  steps: SyncStep[];
  /** Why the sync makes no progress although something is missing; null otherwise. */
  blockedBy: FaultCode | null;
  /** Next retry of a waiting step, by the monotonic clock; null when none waits. */
  retryAtMonoMs: number | null;
  /** Assets that are needed and not cached. */
  missingCount: number;
}

/**
 * After this many failures of one kind the target is promoted without an asset, which is still retried. Network errors
 * do not count: they never replace a complete playlist by a part of another one.
 */
const GIVE_UP_AFTER: readonly (readonly [FaultCode, number])[] = [
  ['asset.gone', 1],
  ['asset.not_allowed', 1],
  ['asset.hash_mismatch', 3],
  ['disk.full', 3],
  // Hours, given the back-off: a broken server may recover.
  ['asset.download_failed', 30],
];
/** How many schedule changes ahead are evaluated to order the downloads. */
const BOUNDARIES_AHEAD = 32;

/**
 * The next steps towards the target. Pure: run the steps and plan again; this converges after a crash at any point. The
 * target is promoted once everything it shows at this instant is verified; broken assets are skipped and reported, and
 * never waited for indefinitely.
 */
export function planSync(state: SyncState, now: { wallMs: number; monoMs: number }): SyncPlan {
  const { held, target } = state;
  if (target && mayPromote(target, held, state, now)) {
    return { steps: [{ kind: 'promote' }], blockedBy: null, retryAtMonoMs: null, missingCount: 0 };
  }
  const wanted = listMissingAssets(state, now);
  const steps: SyncStep[] = [];
  let blockedBy: FaultCode | null = null;
  let retryAtMonoMs: number | null = null;
  for (const asset of wanted.values()) {
    if (state.downloading.has(asset.sha256)) {
      continue;
    }
    const problem = state.problems.get(asset.sha256);
    if (problem && problem.retryAtMonoMs > now.monoMs) {
      blockedBy ??= problem.code;
      retryAtMonoMs = Math.min(retryAtMonoMs ?? Number.POSITIVE_INFINITY, problem.retryAtMonoMs);
    } else if (steps.length + state.downloading.size < state.maxParallelDownloads) {
      steps.push({ kind: 'download', asset });
    }
  }
  const isProgressing = steps.length > 0 || state.downloading.size > 0;
  return {
    steps,
    blockedBy: isProgressing ? null : blockedBy,
    retryAtMonoMs,
    missingCount: wanted.size,
  };
}

/** Missing assets in the order of need: those shown at this instant, then those shown later. */
function listMissingAssets(state: SyncState, now: { wallMs: number }): Map<string, ManifestAsset> {
  const missing = new Map<string, ManifestAsset>();
  const addMissing = (assets: readonly ManifestAsset[]) => {
    for (const asset of assets) {
      if (!state.cachedMedia.has(asset.sha256)) {
        missing.set(asset.sha256, asset);
      }
    }
  };
  const manifests = [state.target, state.held].filter((one) => one !== null);
  for (const one of manifests) {
    addMissing(assetsShownAt(one, now.wallMs));
  }
  for (const one of manifests) {
    addMissing(downloadOrder(one, now.wallMs));
  }
  return missing;
}

function mayPromote(
  target: CompiledManifest,
  held: CompiledManifest | null,
  state: SyncState,
  now: { wallMs: number },
): boolean {
  const isCached = ({ sha256 }: ManifestAsset) => state.cachedMedia.has(sha256);
  const neededNow = assetsShownAt(target, now.wallMs);
  if (neededNow.every(isCached)) {
    return true;
  }
  const canHeldBeShown = held !== null && assetsShownAt(held, now.wallMs).some(isCached);
  const allCachedOrGivenUp = neededNow.every((asset) => isCached(asset) || isGivenUp(state, asset.sha256));
  return neededNow.some(isCached) && (allCachedOrGivenUp || !canHeldBeShown);
}

const assetsShownAt = (compiledManifest: CompiledManifest, wallMs: number): readonly ManifestAsset[] =>
  listPlaylistAssets(compiledManifest, activePlaylistAt(compiledManifest, wallMs).playlistId);

/** Statuses from proxies, captive portals or overloaded servers. */
const INTERMEDIARY_STATUSES: ReadonlySet<unknown> = new Set([407, 429, 511]);

/** The failures of a file after one more failed download. */
export function countFailure(counts: FailureCounts, fault: Pick<Fault, 'code' | 'details'>): FailureCounts {
  return isFileFailure(fault) ? { ...counts, [fault.code]: (counts[fault.code] ?? 0) + 1 } : counts;
}

/** Whether a failed download is the fault of the file itself and not of the network. */
function isFileFailure(fault: Pick<Fault, 'code' | 'details'>): boolean {
  if (fault.code !== 'asset.download_failed') {
    return fault.code !== 'disk.readonly';
  }
  const { status } = fault.details;
  return typeof status === 'number' && status >= 400 && !INTERMEDIARY_STATUSES.has(status);
}

function isGivenUp(state: SyncState, sha256: string): boolean {
  const counts = state.problems.get(sha256)?.failureCounts ?? {};
  return GIVE_UP_AFTER.some(([code, maxFailures]) => (counts[code] ?? 0) >= maxFailures);
}

/** The order of need is constant between two schedule changes. */
const downloadOrderCache = new WeakMap<
  CompiledManifest,
  { fromMs: number; untilMs: number; assets: readonly ManifestAsset[] }
>();

/** Every asset of the manifest once, those that the schedule needs first in front. */
export function downloadOrder(compiledManifest: CompiledManifest, wallMs: number): readonly ManifestAsset[] {
  const cached = downloadOrderCache.get(compiledManifest);
  if (cached && wallMs >= cached.fromMs && wallMs < cached.untilMs) {
    return cached.assets;
  }
  const playlists = new Set<string>();
  let firstBoundaryMs = Number.POSITIVE_INFINITY;
  let atMs: number | null = wallMs;
  for (let i = 0; i < BOUNDARIES_AHEAD && atMs !== null; i++) {
    const active = activePlaylistAt(compiledManifest, atMs);
    if (active.playlistId) {
      playlists.add(active.playlistId);
    }
    atMs = active.untilMs !== null && active.untilMs > atMs ? active.untilMs : null;
    if (i === 0 && atMs !== null) {
      firstBoundaryMs = atMs;
    }
  }
  if (compiledManifest.manifest.base_playlist_id) {
    playlists.add(compiledManifest.manifest.base_playlist_id);
  }
  for (const playlist of compiledManifest.manifest.playlists) {
    playlists.add(playlist.id);
  }
  const assetsByHash = new Map<string, ManifestAsset>();
  for (const id of playlists) {
    for (const asset of listPlaylistAssets(compiledManifest, id)) {
      assetsByHash.set(asset.sha256, asset);
    }
  }
  for (const asset of compiledManifest.manifest.assets) {
    if (!assetsByHash.has(asset.sha256)) {
      assetsByHash.set(asset.sha256, asset);
    }
  }
  const assets = [...assetsByHash.values()];
  downloadOrderCache.set(compiledManifest, { fromMs: wallMs, untilMs: firstBoundaryMs, assets });
  return assets;
}
