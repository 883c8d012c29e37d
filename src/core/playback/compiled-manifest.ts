import type { Manifest, ManifestAsset, ManifestItem, ManifestPlaylist, SkippedPart } from '@placard/protocol';
import { evaluateSchedules, findInvalidRules, compileSchedules } from '@placard/schedule';
import type { CompiledSchedules } from '@placard/schedule';
import type { StoredManifest } from '../stored-manifest.ts';

/** A manifest prepared for evaluation: what may be shown, and when. */
export interface CompiledManifest {
  readonly manifest: StoredManifest;
  readonly compiledSchedules: CompiledSchedules;
  /** Parts of the manifest that this player cannot use, as text. */
  readonly skippedParts: readonly string[];
  readonly playlists: ReadonlyMap<string, ManifestPlaylist>;
  /** By content id. */
  readonly assets: ReadonlyMap<string, ManifestAsset>;
}

/** The active playlist, and why it is active. */
export interface ActivePlaylist {
  readonly source: 'schedule' | 'deployment' | 'none';
  readonly playlistId: string | null;
  readonly scheduleId: string | null;
  readonly ruleId: string | null;
  /** Milliseconds since 1970: when this may change; null when it does not within a year. */
  readonly untilMs: number | null;
}

export function compileManifest(manifest: StoredManifest): CompiledManifest {
  const { compiledSchedules, skippedParts } = compileWithUtcFallback(manifest);
  return {
    manifest,
    compiledSchedules,
    skippedParts: [
      ...(manifest.passed_over ?? []).map(describeSkippedPart),
      ...skippedParts,
      ...findInvalidRules(compiledSchedules).map(describeInvalidRule),
    ],
    playlists: new Map(manifest.playlists.map((playlist) => [playlist.id, playlist])),
    assets: new Map(manifest.assets.map((asset) => [asset.id, asset])),
  };
}

/** An unknown zone must not stop playback: then the times are read as UTC. */
function compileWithUtcFallback({ organization, schedules, timezones }: Manifest) {
  const { timezone } = organization;
  const zones = timezones?.zones;
  try {
    return { compiledSchedules: compileSchedules({ timezone, schedules, zones }), skippedParts: [] };
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw error;
    }
    const compiledSchedules = compileSchedules({ timezone: 'UTC', schedules, zones });
    return { compiledSchedules, skippedParts: [`organization.timezone: ${timezone}`] };
  }
}

const describeSkippedPart = ({ what, found, count }: SkippedPart) =>
  `${what}: ${found}${count > 1 ? ` (${count} times)` : ''}`;
const describeInvalidRule = ({ id, reason }: { id: string; reason: string }) =>
  `schedules.rules ${id}: ${reason}`;

/** The manifest lists only schedules for this device, so every target in it matches. */
export function activePlaylistAt(compiledManifest: CompiledManifest, wallMs: number): ActivePlaylist {
  const evaluation = evaluateSchedules(
    compiledManifest.compiledSchedules,
    { matches: 'all', base_playlist_id: compiledManifest.manifest.base_playlist_id },
    wallMs,
  );
  return {
    source: evaluation.source,
    playlistId: evaluation.playlist_id,
    scheduleId: evaluation.schedule?.id ?? null,
    ruleId: evaluation.rule?.id ?? null,
    untilMs: evaluation.until,
  };
}

/** Items by id, per list of items; a playlist may have thousands, and every step looks some up. */
const itemsById = new WeakMap<readonly ManifestItem[], ReadonlyMap<string, ManifestItem>>();

export function findItem(
  compiledManifest: CompiledManifest,
  playlistId: string,
  itemId: string,
): ManifestItem | null {
  const items = compiledManifest.playlists.get(playlistId)?.items;
  if (!items) {
    return null;
  }
  const byId = itemsById.get(items) ?? new Map(items.map((item) => [item.id, item]));
  itemsById.set(items, byId);
  return byId.get(itemId) ?? null;
}

/** Needed at every step of a sync, and constant per compiled manifest. */
const assetsByPlaylist = new WeakMap<CompiledManifest, Map<string, readonly ManifestAsset[]>>();

/** The assets of a playlist in position order, without duplicates; items without an asset are left out. */
export function listPlaylistAssets(
  compiledManifest: CompiledManifest,
  playlistId: string | null,
): readonly ManifestAsset[] {
  if (playlistId === null) {
    return [];
  }
  const byPlaylist = assetsByPlaylist.get(compiledManifest) ?? new Map<string, readonly ManifestAsset[]>();
  assetsByPlaylist.set(compiledManifest, byPlaylist);
  const assets = byPlaylist.get(playlistId) ?? collectAssets(compiledManifest, playlistId);
  byPlaylist.set(playlistId, assets);
  return assets;
}

function collectAssets(compiledManifest: CompiledManifest, playlistId: string): readonly ManifestAsset[] {
  const assetsByHash = new Map<string, ManifestAsset>();
  for (const item of compiledManifest.playlists.get(playlistId)?.items ?? []) {
    const asset = compiledManifest.assets.get(item.content_id);
    if (asset) {
      assetsByHash.set(asset.sha256, asset);
    }
  }
  return [...assetsByHash.values()];
}
