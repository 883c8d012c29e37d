import { isDeepStrictEqual } from 'node:util';
import { Fault, type FaultCode, type Manifest, type ManifestAsset } from '@placard/protocol';
import { askedWaitMs, backoffMs } from '../../core/backoff.ts';
import { programmeOf, type Programme } from '../../core/playback/programme.ts';
import type { Clock, DeviceLink, KeptManifest, Log, MediaCache, Random, Store } from '../../core/ports.ts';
import { requireMediaHost } from '../../core/sync/media-hosts.ts';
import { addStrike, plan, type Trouble } from '../../core/sync/plan.ts';
import type { Bell } from '../bell.ts';
import type { Board } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface SyncLoopDeps {
  clock: Clock;
  random: Random;
  store: Store;
  media: MediaCache;
  link: DeviceLink;
  board: Board;
  bell: Bell;
  /** Address of the cloud. */
  server: string;
  /** What is held already, from the disk. */
  held: Programme | null;
  onHeld(programme: Programme): void;
  onMedia(held: ReadonlySet<string>): void;
  /** The first manifest after a pairing has arrived. */
  onFirstManifest(manifest: Manifest): void;
  onUnpaired(): void;
  log: Log;
}

export interface SyncLoop extends Service {
  /** The cloud wants this revision; fetched when it is another one. */
  readonly wanted: (revision: string) => void;
  /**
   * Fetches the manifest now and verifies every file by its hash; `unread` could not be read for now. Throws `Fault`
   * when the cloud has no answer.
   */
  refresh(
    signal: AbortSignal,
  ): Promise<{ revision: string | null; verified: number; damaged: number; unread: number }>;
  readonly suspect: (sha256: string) => void;
  /** Throws away every file but these, which are looked at again, and fetches what is wanted anew. */
  clear(keep: ReadonlySet<string>): Promise<void>;
}

const LANES = 2;
const ASSET_RETRY = { baseMs: 5_000, capMs: 10 * 60_000 };
const MANIFEST_RETRY = { baseMs: 2_000, capMs: 60_000 };
/** The schedule moves on, and what it shows next may let a target take over. */
const LOOK_AGAIN_MS = 30_000;
const ASSET_FAULTS: readonly FaultCode[] = [
  'asset.gone',
  'asset.not_allowed',
  'asset.hash_mismatch',
  'asset.download_failed',
  'disk.full',
  'disk.readonly',
];

/** Makes what is held become what the cloud wants: one step, then a look at everything again. */
export function createSyncLoop(deps: SyncLoopDeps): SyncLoop {
  const { clock, store, media, link, board, bell, log } = deps;
  let held = deps.held;
  let target = programmeOrNull(store.readManifests().target);
  let fetchNeeded = true;
  let fetchAttempts = 0;
  let fetchAtMono = 0;
  const troubles = new Map<string, Trouble>();
  const busy = new Map<string, { done: Promise<void>; abort: AbortController }>();
  const suspects = new Set<string>();
  const ofFiles = board.voice();
  const ofManifest = board.voice();
  const ofUnknown = board.voice();
  /** Once in the life of a process: what an earlier version had to leave out may be known by now. */
  let fetchedWhole = false;

  const newestProgramme = () => target ?? held;
  const newest = () => newestProgramme()?.manifest.revision ?? null;

  /** A manifest that cannot be understood must not take the player down with it. */
  function programmeOrNull(manifest: KeptManifest | null): Programme | null {
    try {
      return manifest && programmeOf(manifest);
    } catch (error) {
      log.error({ revision: manifest?.revision, error: String(error) }, 'manifest.unusable');
      return null;
    }
  }

  async function fetchManifest(signal: AbortSignal): Promise<void> {
    const known = newestProgramme()?.manifest;
    const isWhole = fetchedWhole || (known?.passed_over ?? []).length === 0;
    const answer = await link.manifest(isWhole ? newest() : null, signal);
    fetchedWhole = true;
    if (answer.kind === 'unpaired') return deps.onUnpaired();
    board.cloud(null);
    if (answer.kind === 'manifest') take(answer.manifest);
    fetchNeeded = false;
    fetchAttempts = 0;
    ofManifest.clear();
  }

  function take(manifest: KeptManifest): void {
    log.info({ revision: manifest.revision, assets: manifest.assets.length }, 'manifest.fetched');
    const programme = programmeOrNull(manifest);
    if (!programme) throw new Fault('cloud.not_placard', 'later', { revision: manifest.revision });
    // Read again, one of the same revision may hold more than an earlier version made of it.
    if (isDeepStrictEqual(manifest, newestProgramme()?.manifest)) return;
    const first = held === null && target === null;
    store.saveTarget(manifest);
    target = programme;
    if (first) deps.onFirstManifest(manifest);
  }

  /** The manifest that wants it now. */
  const namedBy = (asset: ManifestAsset): Manifest | null =>
    [target, held].find((one) => one?.manifest.assets.includes(asset))?.manifest ?? null;

  async function fetchOne(asset: ManifestAsset, signal: AbortSignal): Promise<void> {
    try {
      requireMediaHost(asset, namedBy(asset), deps.server);
      await media.fetch(asset, signal);
      troubles.delete(asset.sha256);
      deps.onMedia(media.held());
    } catch (error) {
      if (!signal.aborted) noteTrouble(asset, error);
    }
  }

  function download(asset: ManifestAsset, signal: AbortSignal): void {
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    const done = fetchOne(asset, abort.signal).finally(() => {
      signal.removeEventListener('abort', stop);
      busy.delete(asset.sha256);
      bell.ring();
    });
    busy.set(asset.sha256, { done, abort });
  }

  function tellUnknown(): void {
    const unknown = newestProgramme()?.unknown ?? [];
    if (unknown.length === 0) ofUnknown.clear();
    else ofUnknown.raise('manifest.unknown', { unknown: unknown.slice(0, 10), count: unknown.length });
  }

  const namedAssets = () => [target, held].flatMap((one) => one?.manifest.assets ?? []);

  /** A file that no manifest names any more is not worth the line; another one may wait for it. */
  function stopUnwanted(): void {
    if (busy.size === 0) return;
    const named = new Set(namedAssets().map((asset) => asset.sha256));
    for (const [sha256, { abort }] of busy) if (!named.has(sha256)) abort.abort();
  }

  function noteTrouble(asset: ManifestAsset, error: unknown): void {
    const fault = error instanceof Fault ? error : new Fault('asset.download_failed', 'later', {}, error);
    const before = troubles.get(asset.sha256);
    const attempts = (before?.attempts ?? 0) + 1;
    const strikes = addStrike(before?.strikes ?? {}, fault);
    const waitMs =
      typeof fault.retry === 'object'
        ? askedWaitMs(fault.retry.afterMs, deps.random.next())
        : backoffMs(attempts - 1, deps.random.next(), ASSET_RETRY);
    log.warn(
      { code: fault.code, asset_id: asset.id, attempts, wait_ms: waitMs, ...fault.facts },
      'asset.failed',
    );
    troubles.set(asset.sha256, { code: fault.code, attempts, strikes, retryAtMono: clock.mono() + waitMs });
  }

  function tellTroubles(): void {
    if (troubles.size === 0) return ofFiles.clear();
    const named = new Map(namedAssets().map((asset) => [asset.sha256, asset.id]));
    for (const sha256 of troubles.keys()) if (!named.has(sha256)) troubles.delete(sha256);
    for (const code of ASSET_FAULTS) {
      const ids = [...troubles].flatMap(([sha256, trouble]) =>
        trouble.code === code ? [named.get(sha256) ?? sha256] : [],
      );
      if (ids.length === 0) ofFiles.clear(code);
      else ofFiles.raise(code, { asset_ids: ids.slice(0, 10), count: ids.length });
    }
  }

  async function promote(): Promise<void> {
    if (!target) return;
    store.promoteTarget();
    held = target;
    target = null;
    log.info({ revision: held.manifest.revision }, 'manifest.applied');
    deps.onHeld(held);
    await media.evict('over_budget');
    // What the one before it took is free now, and goes to what is needed first, not to whoever tries first.
    for (const [sha256, { code }] of troubles) if (code === 'disk.full') troubles.delete(sha256);
  }

  async function checkSuspects(): Promise<void> {
    for (const sha256 of suspects) {
      suspects.delete(sha256);
      if ((await media.verify(sha256)) === false) deps.onMedia(media.held());
    }
  }

  /** A disk that takes no writes stops nothing but the news. */
  async function reconcileOrWait(signal: AbortSignal): Promise<number> {
    try {
      return await reconcile(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) throw error;
      log.error({ code: error.code, ...error.facts }, 'sync.blocked');
      ofFiles.raise(error.code, error.facts);
      board.set({ blockedBy: error.code });
      return LOOK_AGAIN_MS;
    }
  }

  /** One look at everything: runs what can be run and tells how long nothing else will. */
  async function reconcile(signal: AbortSignal): Promise<number> {
    await checkSuspects();
    const now = () => ({ wallMs: clock.wall(), monoMs: clock.mono() });
    const view = () => ({
      held,
      target,
      media: media.held(),
      busy: new Set(busy.keys()),
      troubles,
      lanes: LANES,
    });
    stopUnwanted();
    let next = plan(view(), now());
    while (next.steps.length > 0 && !signal.aborted) {
      for (const step of next.steps) {
        if (step.kind === 'download') download(step.asset, signal);
        else await promote();
      }
      next = plan(view(), now());
    }
    tellTroubles();
    tellUnknown();
    board.set({
      heldRevision: held?.manifest.revision ?? null,
      targetRevision: newest(),
      blockedBy: next.blockedBy,
      assetsMissing: next.missing,
      deviceName: (held ?? target)?.manifest.device.name ?? '',
    });
    return next.retryAtMono === null ? LOOK_AGAIN_MS : Math.max(0, next.retryAtMono - clock.mono());
  }

  async function work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (fetchNeeded && clock.mono() >= fetchAtMono) {
        try {
          await fetchManifest(signal);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          const waitMs =
            typeof error.retry === 'object'
              ? error.retry.afterMs
              : backoffMs(fetchAttempts++, deps.random.next(), MANIFEST_RETRY);
          fetchAtMono = clock.mono() + waitMs;
          if (ASSET_FAULTS.includes(error.code)) ofManifest.raise(error.code, error.facts);
          log.warn({ code: error.code, wait_ms: waitMs, ...error.facts }, 'manifest.not_fetched');
        }
      }
      if (signal.aborted) break;
      const waitMs = await reconcileOrWait(signal);
      const fetchMs = fetchNeeded ? Math.max(0, fetchAtMono - clock.mono()) : LOOK_AGAIN_MS;
      await bell.wait(Math.min(waitMs, fetchMs, LOOK_AGAIN_MS), signal);
    }
    await Promise.all([...busy.values()].map(({ done }) => done));
  }

  return {
    name: 'sync',
    wanted(revision) {
      if (revision === newest()) return;
      fetchNeeded = true;
      fetchAtMono = 0;
      bell.ring();
    },
    suspect(sha256) {
      suspects.add(sha256);
      bell.ring();
    },
    async clear(keep) {
      for (const sha256 of media.held()) {
        if (keep.has(sha256)) suspects.add(sha256);
        else await media.drop(sha256);
      }
      deps.onMedia(media.held());
      bell.ring();
    },
    async refresh(signal) {
      await fetchManifest(signal);
      const found = { verified: 0, damaged: 0, unread: 0 };
      for (const asset of held?.manifest.assets ?? []) {
        if (signal.aborted || !media.held().has(asset.sha256)) continue;
        const sound = await media.verify(asset.sha256);
        found[sound === null ? 'unread' : sound ? 'verified' : 'damaged'] += 1;
      }
      deps.onMedia(media.held());
      bell.ring();
      return { revision: newest(), ...found };
    },
    async run(signal) {
      try {
        await work(signal);
      } finally {
        ofFiles.clear();
        ofManifest.clear();
        ofUnknown.clear();
      }
    },
  };
}
