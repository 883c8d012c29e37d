import type { Manifest, ManifestAsset, ManifestItem, ManifestPlaylist, PassedOver } from '@placard/protocol';
import { activeAt, brokenRules, compileSchedules, type CompiledSchedules } from '@placard/schedule';
import type { KeptManifest } from '../ports.ts';

/** A manifest made ready for questions: what may be shown, and when. */
export interface Programme {
  readonly manifest: KeptManifest;
  readonly compiled: CompiledSchedules;
  /** What this player cannot make use of in it, in words. */
  readonly unknown: readonly string[];
  readonly playlists: ReadonlyMap<string, ManifestPlaylist>;
  /** By content id. */
  readonly assets: ReadonlyMap<string, ManifestAsset>;
}

/** What is on now, and why. */
export interface Active {
  readonly source: 'schedule' | 'deployment' | 'none';
  readonly playlistId: string | null;
  readonly scheduleId: string | null;
  readonly ruleId: string | null;
  /** Milliseconds since 1970: when this answer may change; null when it will not for a year. */
  readonly untilMs: number | null;
}

export function programmeOf(manifest: KeptManifest): Programme {
  const { compiled, unknown } = compile(manifest);
  return {
    manifest,
    compiled,
    unknown: [
      ...(manifest.passed_over ?? []).map(inWords),
      ...unknown,
      ...brokenRules(compiled).map(brokenInWords),
    ],
    playlists: new Map(manifest.playlists.map((playlist) => [playlist.id, playlist])),
    assets: new Map(manifest.assets.map((asset) => [asset.id, asset])),
  };
}

/** A zone that nobody here knows must not keep everything from the screen: then the times are read as UTC. */
function compile({ organization, schedules, timezones }: Manifest) {
  const { timezone } = organization;
  const zones = timezones?.zones;
  try {
    return { compiled: compileSchedules({ timezone, schedules, zones }), unknown: [] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const compiled = compileSchedules({ timezone: 'UTC', schedules, zones });
    return { compiled, unknown: [`organization.timezone: ${timezone}`] };
  }
}

const inWords = ({ what, found, count }: PassedOver) =>
  `${what}: ${found}${count > 1 ? ` (${count} times)` : ''}`;
const brokenInWords = ({ id, reason }: { id: string; reason: string }) => `schedules.rules ${id}: ${reason}`;

/** The manifest lists only schedules that reach this device, so every target in it is taken to reach. */
export function activeNow(programme: Programme, wallMs: number): Active {
  const answer = activeAt(
    programme.compiled,
    { reaches: 'all', base_playlist_id: programme.manifest.base_playlist_id },
    wallMs,
  );
  return {
    source: answer.source,
    playlistId: answer.playlist_id,
    scheduleId: answer.schedule?.id ?? null,
    ruleId: answer.rule?.id ?? null,
    untilMs: answer.until,
  };
}

/** By id, for each list of items; a playlist may have thousands, and every step asks for some. */
const itemsById = new WeakMap<readonly ManifestItem[], ReadonlyMap<string, ManifestItem>>();

export function itemOf(programme: Programme, playlistId: string, itemId: string): ManifestItem | null {
  const items = programme.playlists.get(playlistId)?.items;
  if (!items) return null;
  const byId = itemsById.get(items) ?? new Map(items.map((item) => [item.id, item]));
  itemsById.set(items, byId);
  return byId.get(itemId) ?? null;
}

/** Asked for at every step of a sync, and the same for as long as the programme lives. */
const known = new WeakMap<Programme, Map<string, readonly ManifestAsset[]>>();

/** The assets of a playlist in position order, each once; items without an asset are left out. */
export function assetsOf(programme: Programme, playlistId: string | null): readonly ManifestAsset[] {
  if (playlistId === null) return [];
  const lists = known.get(programme) ?? new Map<string, readonly ManifestAsset[]>();
  known.set(programme, lists);
  const list = lists.get(playlistId) ?? collect(programme, playlistId);
  lists.set(playlistId, list);
  return list;
}

function collect(programme: Programme, playlistId: string): readonly ManifestAsset[] {
  const found = new Map<string, ManifestAsset>();
  for (const item of programme.playlists.get(playlistId)?.items ?? []) {
    const asset = programme.assets.get(item.content_id);
    if (asset) found.set(asset.sha256, asset);
  }
  return [...found.values()];
}
