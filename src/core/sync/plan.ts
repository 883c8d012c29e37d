import type { Fault, FaultCode, ManifestAsset } from '@placard/protocol';
import { activeNow, assetsOf, type Programme } from '../playback/programme.ts';

/** What went wrong with an asset lately, by its hash. */
export interface Trouble {
  readonly code: FaultCode;
  readonly attempts: number;
  /** How often each of these faults said of this very file that it cannot be had; one of the line says nothing. */
  readonly strikes: Strikes;
  /** Milliseconds by the monotonic clock. */
  readonly retryAtMono: number;
}

export type Strikes = Readonly<Partial<Record<FaultCode, number>>>;

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

/**
 * After so many strikes of one kind the rest goes on without an asset, which is still tried again. A line that breaks
 * is none: a whole playlist never gives way to a part of another one because of the network.
 */
const GIVE_UP_AFTER: readonly (readonly [FaultCode, number])[] = [
  ['asset.gone', 1],
  ['asset.not_allowed', 1],
  ['asset.hash_mismatch', 3],
  ['disk.full', 3],
  // Hours, by the way that the tries are spaced: a server that is ill gets well again.
  ['asset.download_failed', 30],
];
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
  const wanted = wantedAssets(view, now);
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

/** What is not there, in the order of need: the pictures of this instant, then what will be shown later. */
function wantedAssets(view: SyncView, now: { wallMs: number }): Map<string, ManifestAsset> {
  const wanted = new Map<string, ManifestAsset>();
  const want = (assets: readonly ManifestAsset[]) => {
    for (const asset of assets) if (!view.media.has(asset.sha256)) wanted.set(asset.sha256, asset);
  };
  const programmes = [view.target, view.held].filter((one) => one !== null);
  for (const one of programmes) want(assetsOf(one, activeNow(one, now.wallMs).playlistId));
  for (const one of programmes) want(inOrderOfNeed(one, now.wallMs));
  return wanted;
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

/** Answers of something on the way: of a proxy, of a portal, of a server that has too much to do. */
const NOT_OF_THE_FILE: ReadonlySet<unknown> = new Set([407, 429, 511]);

/** The strikes against a file after one more of its downloads has failed. */
export function addStrike(strikes: Strikes, fault: Pick<Fault, 'code' | 'facts'>): Strikes {
  return isStrike(fault) ? { ...strikes, [fault.code]: (strikes[fault.code] ?? 0) + 1 } : strikes;
}

/** Whether a failed download says something of the file itself, and not of the way to it. */
function isStrike(fault: Pick<Fault, 'code' | 'facts'>): boolean {
  if (fault.code !== 'asset.download_failed') return fault.code !== 'disk.readonly';
  const { status } = fault.facts;
  return typeof status === 'number' && status >= 400 && !NOT_OF_THE_FILE.has(status);
}

function givenUp(view: SyncView, sha256: string): boolean {
  const strikes = view.troubles.get(sha256)?.strikes ?? {};
  return GIVE_UP_AFTER.some(([code, most]) => (strikes[code] ?? 0) >= most);
}

interface Needed {
  fromMs: number;
  untilMs: number;
  assets: readonly ManifestAsset[];
}

/** Between two boundaries of the schedule the order of need stays the same, however often it is asked for. */
const orders = new WeakMap<Programme, Needed>();

/** Every asset of the manifest once, those that the schedule needs first in front. */
export function inOrderOfNeed(programme: Programme, wallMs: number): readonly ManifestAsset[] {
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
