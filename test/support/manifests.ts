import { createHash } from 'node:crypto';
import { DEFAULT_DISPLAY, toWireDisplay } from '@placard/protocol';
import type { Manifest, ManifestAsset, ManifestRule } from '@placard/protocol';
import type { FakeCloud } from './fake-cloud.ts';

/** A hash for test assets: the SHA-256 of their name. */
export const sha256Of = (name: string): string => createHash('sha256').update(name).digest('hex');

export const imageAsset = (name: string, overrides: Partial<ManifestAsset> = {}): ManifestAsset => ({
  id: `asset_${name}`,
  sha256: sha256Of(name),
  size: name.length,
  url: `http://cdn.test/${name}.png`,
  type: 'image',
  format: 'png',
  width: 1920,
  height: 1080,
  duration: null,
  ...overrides,
});

export const videoAsset = (name: string, seconds: number | null): ManifestAsset =>
  imageAsset(name, { type: 'video', format: 'mp4', duration: seconds });

export const rule = (
  id: string,
  playlistId: string,
  startTime: string,
  endTime: string,
  overrides: Partial<ManifestRule> = {},
): ManifestRule => ({
  id,
  playlist_id: playlistId,
  start_time: startTime,
  end_time: endTime,
  days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'],
  rrule: null,
  priority: 0,
  starts_on: null,
  ends_on: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...overrides,
});

export interface ManifestSpec {
  revision?: string;
  timezone?: string;
  basePlaylistId?: string | null;
  /** Playlist id → its items: name of the asset, or name and seconds. */
  playlists: Record<string, (string | [name: string, seconds: number | null])[]>;
  rules?: ManifestRule[];
  /** Assets that are not plain images. */
  assets?: ManifestAsset[];
}

/** Builds a manifest: every name is an image of 10 s unless specified otherwise. Item ids: `<playlist>/<name>`. */
export function buildManifest(spec: ManifestSpec): Manifest {
  const names = Object.values(spec.playlists)
    .flat()
    .map((item) => (typeof item === 'string' ? item : item[0]));
  const customAssets = new Map((spec.assets ?? []).map((asset) => [asset.id, asset]));
  const assets = [...new Set(names)].map((name) => customAssets.get(`asset_${name}`) ?? imageAsset(name));
  return {
    revision: spec.revision ?? `rev_${sha256Of(JSON.stringify(spec)).slice(0, 8)}`,
    organization: { timezone: spec.timezone ?? 'UTC' },
    device: {
      id: 'dev_1',
      name: 'Lobby',
      orientation: 'landscape',
      display: toWireDisplay(DEFAULT_DISPLAY),
      menu_pin_hash: null,
    },
    base_playlist_id:
      spec.basePlaylistId === undefined ? (Object.keys(spec.playlists)[0] ?? null) : spec.basePlaylistId,
    schedules: spec.rules
      ? [{ id: 'sch_1', name: 'Week', targets: [{ type: 'device', id: 'dev_1' }], rules: spec.rules }]
      : [],
    playlists: Object.entries(spec.playlists).map(([id, items]) => ({
      id,
      name: id,
      mode: 'sequential' as const,
      items: items.map((item) => {
        const [name, seconds] = typeof item === 'string' ? [item, 10] : item;
        return { id: `${id}/${name}`, content_id: `asset_${name}`, duration: seconds, weight: null };
      }),
    })),
    assets,
  };
}

/** Publishes one playlist of pictures with these names, `seconds` each, and their media, in the cloud. */
export function publishPlaylist(
  cloud: Pick<FakeCloud, 'addMedia' | 'setManifest'>,
  names: readonly string[],
  seconds = 1,
): void {
  const manifest = buildManifest({
    revision: 'r1',
    playlists: { pl: names.map((name) => [name, seconds]) },
  });
  const assets = manifest.assets.map((asset) => ({ ...asset, ...cloud.addMedia(asset.id) }));
  cloud.setManifest({ ...manifest, assets });
}
