import { createHash } from 'node:crypto';
import { DEFAULT_DISPLAY, type Manifest, type ManifestAsset, type ManifestRule } from '@placard/protocol';
import type { FakeCloud } from './fake-cloud.ts';

/** The hash that stands for the bytes of this name. */
export const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');

export const imageAsset = (name: string, more: Partial<ManifestAsset> = {}): ManifestAsset => ({
  id: `asset_${name}`,
  sha256: hashOf(name),
  size: name.length,
  url: `http://cdn.test/${name}.png`,
  type: 'image',
  format: 'png',
  width: 1920,
  height: 1080,
  duration: null,
  ...more,
});

export const videoAsset = (name: string, seconds: number | null): ManifestAsset =>
  imageAsset(name, { type: 'video', format: 'mp4', duration: seconds });

export const rule = (
  id: string,
  playlistId: string,
  startTime: string,
  endTime: string,
  more: Partial<ManifestRule> = {},
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
  ...more,
});

export interface ManifestSketch {
  revision?: string;
  timezone?: string;
  base?: string | null;
  /** Playlist id → its items: name of the asset, or name and seconds. */
  playlists: Record<string, (string | [name: string, seconds: number | null])[]>;
  rules?: ManifestRule[];
  /** Assets that are no plain images. */
  assets?: ManifestAsset[];
}

/** A manifest from a sketch: every name is an image of 10 s unless told otherwise. Item ids: `<playlist>/<name>`. */
export function sketchManifest(sketch: ManifestSketch): Manifest {
  const names = Object.values(sketch.playlists)
    .flat()
    .map((item) => (typeof item === 'string' ? item : item[0]));
  const special = new Map((sketch.assets ?? []).map((asset) => [asset.id, asset]));
  const assets = [...new Set(names)].map((name) => special.get(`asset_${name}`) ?? imageAsset(name));
  return {
    revision: sketch.revision ?? `rev_${hashOf(JSON.stringify(sketch)).slice(0, 8)}`,
    organization: { timezone: sketch.timezone ?? 'UTC' },
    device: {
      id: 'dev_1',
      name: 'Lobby',
      orientation: 'landscape',
      display: DEFAULT_DISPLAY,
      menu_pin_hash: null,
    },
    base_playlist_id: sketch.base === undefined ? (Object.keys(sketch.playlists)[0] ?? null) : sketch.base,
    schedules: sketch.rules
      ? [{ id: 'sch_1', name: 'Week', targets: [{ type: 'device', id: 'dev_1' }], rules: sketch.rules }]
      : [],
    playlists: Object.entries(sketch.playlists).map(([id, items]) => ({
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

/** Has a cloud hold one playlist of pictures with these names, `seconds` each, and the bytes of them all. */
export function givePlaylist(
  cloud: Pick<FakeCloud, 'addMedia' | 'setManifest'>,
  names: readonly string[],
  seconds = 1,
): void {
  const sketch = sketchManifest({
    revision: 'r1',
    playlists: { pl: names.map((name) => [name, seconds]) },
  });
  const assets = sketch.assets.map((asset) => ({ ...asset, ...cloud.addMedia(asset.id) }));
  cloud.setManifest({ ...sketch, assets });
}
