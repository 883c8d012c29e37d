import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@placard/protocol';
import type { Manifest, ManifestAsset } from '@placard/protocol';
import type { CompiledManifest } from '../../core/playback/compiled-manifest.ts';
import type { StoredManifest } from '../../core/stored-manifest.ts';
import { planSync } from '../../core/sync/sync-plan.ts';
import { compileStoredManifest } from '../base/compile-stored-manifest.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import { createAssetDownloads } from './asset-downloads.ts';
import { createManifestFetcher } from './manifest-fetcher.ts';
import { createSyncFaults } from './sync-faults.ts';

interface SyncLoopDeps extends Pick<
  ServiceDeps,
  | 'clock'
  | 'random'
  | 'database'
  | 'media'
  | 'link'
  | 'playerState'
  | 'wakeup'
  | 'server'
  | 'onCachedMediaChange'
  | 'onUnpaired'
  | 'log'
> {
  /** The held manifest, loaded from disk. */
  held: CompiledManifest | null;
  onHeldManifest(compiledManifest: CompiledManifest): void;
  /** The first manifest after a pairing has arrived. */
  onFirstManifest(manifest: Manifest): void;
}

const MAX_PARALLEL_DOWNLOADS = 2;
/** Rechecked at intervals, because what the schedule shows next may allow promoting the target. */
const RECHECK_INTERVAL_MS = 30_000;

/** Reconciles the held manifest with the target: performs a step, then plans again. */
export function createSyncLoop(deps: SyncLoopDeps) {
  const { clock, database, media, playerState, wakeup, log } = deps;
  let held = deps.held;
  let target = compileStoredManifest(database.readManifests().target, log);
  const hashesToReverify = new Set<string>();

  const newestCompiled = () => target ?? held;
  const newestRevision = () => newestCompiled()?.manifest.revision ?? null;
  const onCachedMediaChange = () => deps.onCachedMediaChange(media.cachedHashes());

  const faults = createSyncFaults({ playerState });
  const fetcher = createManifestFetcher({
    ...deps,
    faults,
    newest: () => newestCompiled()?.manifest ?? null,
    accept: acceptManifest,
  });
  const downloads = createAssetDownloads({ ...deps, onEnd: wakeup.wake });

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

  const referencedAssets = () => [target, held].flatMap((one) => one?.manifest.assets ?? []);

  /** Made once for each pair of manifests: with thousands of files, every download would make it again. */
  let referenced: { target: unknown; held: unknown; hashes: ReadonlySet<string> } | null = null;

  const keepOnlyReferencedDownloads = () => {
    if (referenced?.target !== target || referenced.held !== held) {
      referenced = { target, held, hashes: new Set(referencedAssets().map((asset) => asset.sha256)) };
    }
    downloads.keepOnly(referenced.hashes);
  };

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
    downloads.retryDiskFull();
  }

  async function reverifyFiles(): Promise<void> {
    for (const sha256 of hashesToReverify) {
      hashesToReverify.delete(sha256);
      if ((await media.verify(sha256)) === false) {
        onCachedMediaChange();
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
      faults.reportBlocked(error);
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
        downloading: downloads.running(),
        problems: downloads.problems,
        maxParallelDownloads: MAX_PARALLEL_DOWNLOADS,
      },
      { wallMs: clock.wallMs(), monoMs: clock.monoMs() },
    );

  /** Performs all steps that are possible now; returns the time until the next one may be. */
  async function reconcile(signal: AbortSignal): Promise<number> {
    await reverifyFiles();
    keepOnlyReferencedDownloads();
    let next = plan();
    while (next.steps.length > 0 && !signal.aborted) {
      for (const step of next.steps) {
        if (step.kind === 'download') {
          downloads.start(step.asset, findReferencingManifest(step.asset), signal);
        } else {
          await promote();
        }
      }
      next = plan();
    }
    keepOnlyReferencedDownloads();
    faults.reportAssets(downloads.problems, referencedAssets());
    faults.reportUnknownContent(newestCompiled()?.skippedParts ?? []);
    playerState.set({
      targetRevision: newestRevision(),
      blockedBy: next.blockedBy,
      assetsMissing: next.missingCount,
    });
    return next.retryAtMonoMs === null
      ? RECHECK_INTERVAL_MS
      : Math.max(0, next.retryAtMonoMs - clock.monoMs());
  }

  return {
    name: 'sync',
    /** The cloud wants this revision; fetched if it is a new one. */
    setTargetRevision: (revision: string) => {
      if (revision === newestRevision()) {
        return;
      }
      fetcher.requestFetch();
      wakeup.wake();
    },
    reverify: (sha256: string) => {
      hashesToReverify.add(sha256);
      wakeup.wake();
    },
    /** Deletes all cached files except these, which are verified, and downloads the needed ones again. */
    clearCache: async (preserved: ReadonlySet<string>) => {
      for (const sha256 of media.cachedHashes()) {
        if (preserved.has(sha256)) {
          hashesToReverify.add(sha256);
        } else {
          await media.remove(sha256);
        }
      }
      onCachedMediaChange();
      wakeup.wake();
    },
    /**
     * Fetches the manifest now and verifies every cached file by its hash; the counts are the result of `REFRESH` on
     * the wire, where `unread` is the number of files that could not be read.
     * Throws `Fault` when the cloud does not respond.
     */
    refresh: async (signal: AbortSignal) => {
      await fetcher.fetch(signal);
      const found = { verified: 0, damaged: 0, unread: 0 };
      for (const asset of held?.manifest.assets ?? []) {
        if (signal.aborted || !media.cachedHashes().has(asset.sha256)) {
          continue;
        }
        const isValid = await media.verify(asset.sha256);
        found[isValid === null ? 'unread' : isValid ? 'verified' : 'damaged'] += 1;
      }
      onCachedMediaChange();
      wakeup.wake();
      return { revision: newestRevision(), ...found };
    },
    async run(signal: AbortSignal) {
      try {
        while (!signal.aborted) {
          await fetcher.fetchIfDue(signal);
          if (signal.aborted) {
            break;
          }
          const waitMs = await reconcileOrWait(signal);
          await wakeup.wait(Math.min(waitMs, fetcher.msUntilDue(), RECHECK_INTERVAL_MS), signal);
        }
        await downloads.settled();
      } finally {
        faults.clear();
      }
    },
  };
}
