import type { Manifest, ManifestAsset, ManifestItem, ManifestPlaylist, SkippedPart } from '@placard/protocol';
import { evaluateSchedules, findInvalidRules, compileSchedules } from '@placard/schedule';
import type { CompiledSchedules, ScheduleSet } from '@placard/schedule';
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
  const { compiledSchedules, skippedParts } = compileWithKnownZones(manifest);
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

/**
 * An unknown zone must not stop playback: times of the store are then read in the zone of the organization, and those of
 * the organization as UTC.
 */
function compileWithKnownZones({ organization, schedules, timezones, local_timezone }: Manifest) {
  const zones = timezones?.zones;
  const attempts = [
    { timezone: organization.timezone, local_timezone },
    { timezone: organization.timezone, local_timezone: null },
    { timezone: 'UTC', local_timezone },
    { timezone: 'UTC', local_timezone: null },
  ];
  for (const attempt of attempts) {
    const compiledSchedules = compileUnlessUnknown({ ...attempt, schedules, zones });
    if (compiledSchedules) {
      return {
        compiledSchedules,
        skippedParts: [
          ...(attempt.timezone === organization.timezone
            ? []
            : [`organization.timezone: ${organization.timezone}`]),
          ...(attempt.local_timezone === local_timezone ? [] : [`local_timezone: ${local_timezone}`]),
        ],
      };
    }
  }
  throw new Error('UTC is not a known time zone');
}

/** Null when one of the zones is unknown. */
function compileUnlessUnknown(set: ScheduleSet): CompiledSchedules | null {
  try {
    return compileSchedules(set);
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
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
