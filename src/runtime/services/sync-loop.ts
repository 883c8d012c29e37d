import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@placard/protocol';
import type { FaultCode, Manifest, ManifestAsset } from '@placard/protocol';
import { jitteredRetryAfterMs, backoffMs } from '../../core/backoff.ts';
import type { CompiledManifest } from '../../core/playback/compiled-manifest.ts';
import type {
  Clock,
  DeviceLink,
  StoredManifest,
  Log,
  MediaCache,
  Random,
  PlayerDatabase,
} from '../../core/ports.ts';
import { requireMediaHost } from '../../core/sync/media-hosts.ts';
import { countFailure, planSync } from '../../core/sync/sync-plan.ts';
import type { SyncProblem } from '../../core/sync/sync-plan.ts';
import { compileStoredManifest } from '../base/compile-stored-manifest.ts';
import type { Wakeup } from '../base/wakeup.ts';
import type { PlayerState } from '../base/player-state.ts';
import type { Service } from '../base/supervisor.ts';

export interface SyncLoopDeps {
  clock: Clock;
  random: Random;
  database: PlayerDatabase;
  media: MediaCache;
  link: DeviceLink;
  playerState: PlayerState;
  wakeup: Wakeup;
  /** URL of the cloud. */
  server: string;
  /** The held manifest, loaded from disk. */
  held: CompiledManifest | null;
  onHeldManifest(compiledManifest: CompiledManifest): void;
  onCachedMediaChange(cached: ReadonlySet<string>): void;
  /** The first manifest after a pairing has arrived. */
  onFirstManifest(manifest: Manifest): void;
  onUnpaired(): void;
  log: Log;
}

export interface SyncLoop extends Service {
  /** The cloud wants this revision; fetched if it is a new one. */
  readonly setTargetRevision: (revision: string) => void;
  /**
   * Fetches the manifest now and verifies every file by its hash; `unread` counts files that could not be read.
   * Throws `Fault` when the cloud does not respond.
   */
  refresh(
    signal: AbortSignal,
  ): Promise<{ revision: string | null; verified: number; damaged: number; unread: number }>;
  readonly reverify: (sha256: string) => void;
  /** Deletes all cached files except these, which are verified, and downloads the needed ones again. */
  clearCache(preserved: ReadonlySet<string>): Promise<void>;
}

const MAX_PARALLEL_DOWNLOADS = 2;
const ASSET_RETRY = { baseMs: 5_000, capMs: 10 * 60_000 };
const MANIFEST_RETRY = { baseMs: 2_000, capMs: 60_000 };
/** Rechecked at intervals, because what the schedule shows next may allow promoting the target. */
const RECHECK_INTERVAL_MS = 30_000;
const ASSET_FAULT_CODES: readonly FaultCode[] = [
  'asset.gone',
  'asset.not_allowed',
  'asset.hash_mismatch',
  'asset.download_failed',
  'disk.full',
  'disk.readonly',
];

/** Reconciles the held manifest with the target: performs a step, then plans again. */
export function createSyncLoop(deps: SyncLoopDeps): SyncLoop {
  const { clock, database, media, link, playerState, wakeup, log } = deps;
  let held = deps.held;
  let target = compileStoredManifest(database.readManifests().target, log);
  let fetchNeeded = true;
  let fetchAttempts = 0;
  let fetchAtMonoMs = 0;
  const problems = new Map<string, SyncProblem>();
  const downloads = new Map<string, { done: Promise<void>; abort: AbortController }>();
  const hashesToReverify = new Set<string>();
  const assetFaults = playerState.createFaultSource();
  const manifestFaults = playerState.createFaultSource();
  const unknownContentFaults = playerState.createFaultSource();
  /** Once per process: parts that an earlier version had to skip may be known to this one. */
  let wasFetchedInFull = false;

  const newestCompiled = () => target ?? held;
  const newestRevision = () => newestCompiled()?.manifest.revision ?? null;

  async function fetchManifest(signal: AbortSignal): Promise<void> {
    const knownManifest = newestCompiled()?.manifest;
    const isComplete = wasFetchedInFull || (knownManifest?.passed_over ?? []).length === 0;
    const response = await link.fetchManifest(isComplete ? newestRevision() : null, signal);
    wasFetchedInFull = true;
    if (response.kind === 'unpaired') {
      return deps.onUnpaired();
    }
    playerState.cloud.onResponse();
    if (response.kind === 'manifest') {
      acceptManifest(response.manifest);
    }
    fetchNeeded = false;
    fetchAttempts = 0;
    manifestFaults.clear();
  }

  function acceptManifest(manifest: StoredManifest): void {
    log.info({ revision: manifest.revision, assets: manifest.assets.length }, 'manifest.fetched');
    const compiledManifest = compileStoredManifest(manifest, log);
    if (!compiledManifest) {
      throw new Fault('cloud.not_placard', 'later', { revision: manifest.revision });
    }
    // After an update, the same revision may parse to more than an earlier version made of it.
    if (isDeepStrictEqual(manifest, newestCompiled()?.manifest)) {
      return;
    }
    const first = held === null && target === null;
    database.saveTargetManifest(manifest);
    target = compiledManifest;
    if (first) {
      deps.onFirstManifest(manifest);
    }
  }

  /** The manifest that references this asset. */
  const findReferencingManifest = (asset: ManifestAsset): Manifest | null =>
    [target, held].find((one) => one?.manifest.assets.includes(asset))?.manifest ?? null;

  async function fetchAsset(asset: ManifestAsset, signal: AbortSignal): Promise<void> {
    try {
      requireMediaHost(asset, findReferencingManifest(asset), deps.server);
      await media.fetch(asset, signal);
      problems.delete(asset.sha256);
      deps.onCachedMediaChange(media.cachedHashes());
    } catch (error) {
      if (!signal.aborted) {
        recordProblem(asset, error);
      }
    }
  }

  function download(asset: ManifestAsset, signal: AbortSignal): void {
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    const done = fetchAsset(asset, abort.signal).finally(() => {
      signal.removeEventListener('abort', stop);
      downloads.delete(asset.sha256);
      wakeup.wake();
    });
    downloads.set(asset.sha256, { done, abort });
  }

  function reportUnknownContent(): void {
    const unknown = newestCompiled()?.skippedParts ?? [];
    if (unknown.length === 0) {
      unknownContentFaults.clear();
    } else {
      unknownContentFaults.raise('manifest.unknown', {
        unknown: unknown.slice(0, 10),
        count: unknown.length,
      });
    }
  }

  const referencedAssets = () => [target, held].flatMap((one) => one?.manifest.assets ?? []);

  /** Aborts downloads that no manifest references any more, so that others get the bandwidth. */
  function cancelUnreferenced(): void {
    if (downloads.size === 0) {
      return;
    }
    const referenced = new Set(referencedAssets().map((asset) => asset.sha256));
    for (const [sha256, { abort }] of downloads) {
      if (!referenced.has(sha256)) {
        abort.abort();
      }
    }
  }

  function recordProblem(asset: ManifestAsset, error: unknown): void {
    const fault = error instanceof Fault ? error : new Fault('asset.download_failed', 'later', {}, error);
    const before = problems.get(asset.sha256);
    const attempts = (before?.attempts ?? 0) + 1;
    const failureCounts = countFailure(before?.failureCounts ?? {}, fault);
    const waitMs =
      typeof fault.retry === 'object'
        ? jitteredRetryAfterMs(fault.retry.afterMs, deps.random.next())
        : backoffMs(attempts - 1, deps.random.next(), ASSET_RETRY);
    log.warn(
      { code: fault.code, asset_id: asset.id, attempts, wait_ms: waitMs, ...fault.details },
      'asset.failed',
    );
    problems.set(asset.sha256, {
      code: fault.code,
      attempts,
      failureCounts,
      retryAtMonoMs: clock.monoMs() + waitMs,
    });
  }

  function reportProblems(): void {
    if (problems.size === 0) {
      return assetFaults.clear();
    }
    const assetIdsByHash = new Map(referencedAssets().map((asset) => [asset.sha256, asset.id]));
    for (const sha256 of problems.keys()) {
      if (!assetIdsByHash.has(sha256)) {
        problems.delete(sha256);
      }
    }
    for (const code of ASSET_FAULT_CODES) {
      const ids = [...problems].flatMap(([sha256, problem]) =>
        problem.code === code ? [assetIdsByHash.get(sha256) ?? sha256] : [],
      );
      if (ids.length === 0) {
        assetFaults.clear(code);
      } else {
        assetFaults.raise(code, { asset_ids: ids.slice(0, 10), count: ids.length });
      }
    }
  }

  async function promote(): Promise<void> {
    if (!target) {
      return;
    }
    database.promoteTargetManifest();
    held = target;
    target = null;
    log.info({ revision: held.manifest.revision }, 'manifest.applied');
    deps.onHeldManifest(held);
    await media.evict('over_budget');
    // The previous manifest's files were evicted; retry files that did not fit, in the order of need.
    for (const [sha256, { code }] of problems) {
      if (code === 'disk.full') {
        problems.delete(sha256);
      }
    }
  }

  async function reverifyFiles(): Promise<void> {
    for (const sha256 of hashesToReverify) {
      hashesToReverify.delete(sha256);
      if ((await media.verify(sha256)) === false) {
        deps.onCachedMediaChange(media.cachedHashes());
      }
    }
  }

  /** When the disk rejects writes, only syncing stops; playback continues. */
  async function reconcileOrWait(signal: AbortSignal): Promise<number> {
    try {
      return await reconcile(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) {
        throw error;
      }
      log.error({ code: error.code, ...error.details }, 'sync.blocked');
      assetFaults.raise(error.code, error.details);
      playerState.set({ blockedBy: error.code });
      return RECHECK_INTERVAL_MS;
    }
  }

  const plan = () =>
    planSync(
      {
        held,
        target,
        cachedMedia: media.cachedHashes(),
        downloading: new Set(downloads.keys()),
        problems,
        maxParallelDownloads: MAX_PARALLEL_DOWNLOADS,
      },
      { wallMs: clock.wallMs(), monoMs: clock.monoMs() },
    );

  /** Performs all steps that are possible now; returns the time until the next one may be. */
  async function reconcile(signal: AbortSignal): Promise<number> {
    await reverifyFiles();
    cancelUnreferenced();
    let next = plan();
    while (next.steps.length > 0 && !signal.aborted) {
      for (const step of next.steps) {
        if (step.kind === 'download') {
          download(step.asset, signal);
        } else {
          await promote();
        }
      }
      next = plan();
    }
    reportProblems();
    reportUnknownContent();
    playerState.set({
      targetRevision: newestRevision(),
      blockedBy: next.blockedBy,
      assetsMissing: next.missingCount,
    });
    return next.retryAtMonoMs === null
      ? RECHECK_INTERVAL_MS
      : Math.max(0, next.retryAtMonoMs - clock.monoMs());
  }

  async function runUntilAborted(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (fetchNeeded && clock.monoMs() >= fetchAtMonoMs) {
        try {
          await fetchManifest(signal);
        } catch (error) {
          if (!(error instanceof Fault)) {
            throw error;
          }
          const waitMs =
            typeof error.retry === 'object'
              ? error.retry.afterMs
              : backoffMs(fetchAttempts++, deps.random.next(), MANIFEST_RETRY);
          fetchAtMonoMs = clock.monoMs() + waitMs;
          if (ASSET_FAULT_CODES.includes(error.code)) {
            manifestFaults.raise(error.code, error.details);
          }
          log.warn({ code: error.code, wait_ms: waitMs, ...error.details }, 'manifest.not_fetched');
        }
      }
      if (signal.aborted) {
        break;
      }
      const waitMs = await reconcileOrWait(signal);
      const fetchMs = fetchNeeded ? Math.max(0, fetchAtMonoMs - clock.monoMs()) : RECHECK_INTERVAL_MS;
      await wakeup.wait(Math.min(waitMs, fetchMs, RECHECK_INTERVAL_MS), signal);
    }
    await Promise.all([...downloads.values()].map(({ done }) => done));
  }

  return {
    name: 'sync',
    setTargetRevision(revision) {
      if (revision === newestRevision()) {
        return;
      }
      fetchNeeded = true;
      fetchAtMonoMs = 0;
      wakeup.wake();
    },
    reverify(sha256) {
      hashesToReverify.add(sha256);
      wakeup.wake();
    },
    async clearCache(preserved) {
      for (const sha256 of media.cachedHashes()) {
        if (preserved.has(sha256)) {
          hashesToReverify.add(sha256);
        } else {
          await media.remove(sha256);
        }
      }
      deps.onCachedMediaChange(media.cachedHashes());
      wakeup.wake();
    },
    async refresh(signal) {
      await fetchManifest(signal);
      const found = { verified: 0, damaged: 0, unread: 0 };
      for (const asset of held?.manifest.assets ?? []) {
        if (signal.aborted || !media.cachedHashes().has(asset.sha256)) {
          continue;
        }
        const isValid = await media.verify(asset.sha256);
        found[isValid === null ? 'unread' : isValid ? 'verified' : 'damaged'] += 1;
      }
      deps.onCachedMediaChange(media.cachedHashes());
      wakeup.wake();
      return { revision: newestRevision(), ...found };
    },
    async run(signal) {
      try {
        await runUntilAborted(signal);
      } finally {
        assetFaults.clear();
        manifestFaults.clear();
        unknownContentFaults.clear();
      }
    },
  };
}
