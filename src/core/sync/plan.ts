import type { FaultCode, ManifestAsset } from '@placard/protocol';
import { activeNow, assetsOf, type Programme } from '../playback/programme.ts';

/** What went wrong with an asset lately, by its hash. */
export interface Trouble {
  readonly code: FaultCode;
  readonly attempts: number;
  /** Milliseconds by the monotonic clock. */
  readonly retryAtMono: number;
}

/** Everything that the reconciler looks at. */
export interface SyncView {
  readonly held: Programme | null;
  /** Null when it is what is held. */
  readonly target: Programme | null;
  /** Hashes of verified media. */
  readonly media: ReadonlySet<string>;
  /** Hashes being downloaded now. */
  readonly busy: ReadonlySet<string>;
  readonly troubles: ReadonlyMap<string, Trouble>;
  /** How many downloads may run side by side. */
  readonly lanes: number;
}

export type SyncStep =
  | { kind: 'download'; asset: ManifestAsset }
  /** The target takes over. */
  | { kind: 'promote' };

export interface SyncPlan {
  steps: SyncStep[];
  /** Why nothing moves although something is missing; null while it moves. */
  blockedBy: FaultCode | null;
  /** When a step that has to wait may be tried again, by the monotonic clock; null when none waits. */
  retryAtMono: number | null;
  /** Assets that are wanted and not there. */
  missing: number;
}

/** An asset that failed this often is passed over, and the rest goes on without it; it is still tried again. */
const GIVE_UP_AFTER = 3;
/** How far the schedule is followed to learn which files are needed first. */
const BOUNDARIES_AHEAD = 32;

/**
 * What to do next so that the player holds what the cloud wants. Pure: run the steps, look again. A crash
 * anywhere converges. The target takes over once what it must show at this instant is verified; what is broken
 * is passed over and reported, and never waited for for ever.
 */
export function plan(view: SyncView, now: { wallMs: number; monoMs: number }): SyncPlan {
  const { held, target } = view;
  if (target && mayTakeOver(target, held, view, now)) {
    return { steps: [{ kind: 'promote' }], blockedBy: null, retryAtMono: null, missing: 0 };
  }
  const wanted = new Map<string, ManifestAsset>();
  for (const programme of [target, held]) {
    if (!programme) continue;
    for (const asset of inOrderOfNeed(programme, now.wallMs)) {
      if (!view.media.has(asset.sha256) && !wanted.has(asset.sha256)) wanted.set(asset.sha256, asset);
    }
  }
  const steps: SyncStep[] = [];
  let blockedBy: FaultCode | null = null;
  let retryAtMono: number | null = null;
  let missing = 0;
  for (const asset of wanted.values()) {
    missing += 1;
    if (view.busy.has(asset.sha256)) continue;
    const trouble = view.troubles.get(asset.sha256);
    if (trouble && trouble.retryAtMono > now.monoMs) {
      blockedBy ??= trouble.code;
      retryAtMono = Math.min(retryAtMono ?? Number.POSITIVE_INFINITY, trouble.retryAtMono);
    } else if (steps.length + view.busy.size < view.lanes) {
      steps.push({ kind: 'download', asset });
    }
  }
  const moves = steps.length > 0 || view.busy.size > 0;
  return { steps, blockedBy: moves ? null : blockedBy, retryAtMono, missing };
}

function mayTakeOver(
  target: Programme,
  held: Programme | null,
  view: SyncView,
  now: { wallMs: number },
): boolean {
  const needed = assetsOf(target, activeNow(target, now.wallMs).playlistId);
  const there = needed.filter((asset) => view.media.has(asset.sha256));
  if (there.length === needed.length) return true;
  if (!canShow(held, view, now)) return there.length > 0;
  const settled = needed.every((asset) => view.media.has(asset.sha256) || givenUp(view, asset.sha256));
  return settled && there.length > 0;
}

/** Whether there is anything that can be shown at this instant. */
function canShow(programme: Programme | null, view: SyncView, now: { wallMs: number }): boolean {
  if (!programme) return false;
  return assetsOf(programme, activeNow(programme, now.wallMs).playlistId).some((asset) =>
    view.media.has(asset.sha256),
  );
}

function givenUp(view: SyncView, sha256: string): boolean {
  const trouble = view.troubles.get(sha256);
  return trouble !== undefined && (trouble.code === 'asset.gone' || trouble.attempts >= GIVE_UP_AFTER);
}

interface Needed {
  fromMs: number;
  untilMs: number;
  assets: readonly ManifestAsset[];
}

/** Between two boundaries of the schedule the order of need stays the same, however often it is asked for. */
const orders = new WeakMap<Programme, Needed>();

/** Every asset of the manifest once, those that the schedule needs first in front. */
function inOrderOfNeed(programme: Programme, wallMs: number): readonly ManifestAsset[] {
  const last = orders.get(programme);
  if (last && wallMs >= last.fromMs && wallMs < last.untilMs) return last.assets;
  const playlists = new Set<string>();
  let firstBoundaryMs = Number.POSITIVE_INFINITY;
  let atMs: number | null = wallMs;
  for (let i = 0; i < BOUNDARIES_AHEAD && atMs !== null; i++) {
    const active = activeNow(programme, atMs);
    if (active.playlistId) playlists.add(active.playlistId);
    atMs = active.untilMs !== null && active.untilMs > atMs ? active.untilMs : null;
    if (i === 0 && atMs !== null) firstBoundaryMs = atMs;
  }
  if (programme.manifest.base_playlist_id) playlists.add(programme.manifest.base_playlist_id);
  for (const playlist of programme.manifest.playlists) playlists.add(playlist.id);
  const found = new Map<string, ManifestAsset>();
  for (const id of playlists) for (const asset of assetsOf(programme, id)) found.set(asset.sha256, asset);
  for (const asset of programme.manifest.assets) if (!found.has(asset.sha256)) found.set(asset.sha256, asset);
  const assets = [...found.values()];
  orders.set(programme, { fromMs: wallMs, untilMs: firstBoundaryMs, assets });
  return assets;
}
