import { createPlaylistOrder } from '@placard/schedule';
import type { OrderPosition } from '@placard/schedule';
import type { Showing } from './plays.ts';
import { findItem } from './compiled-manifest.ts';
import type { ActivePlaylist, CompiledManifest } from './compiled-manifest.ts';
import type { PlaybackNow, PlaybackState } from './playback-state.ts';

const DEFAULT_IMAGE_MS = 10_000;

export const isKindAllowed = (state: PlaybackState, kind: Showing['kind']): boolean =>
  kind === 'image' || !state.imagesOnly;

/** The next showing of a playlist and the position after it; null when none of its items can be shown. */
export function pickNextShowing(
  state: PlaybackState,
  compiledManifest: CompiledManifest,
  source: ActivePlaylist,
  now: PlaybackNow,
): { showing: Showing; position: OrderPosition } | null {
  const playlist = compiledManifest.playlists.get(source.playlistId ?? '');
  if (!playlist) {
    return null;
  }
  const order = createPlaylistOrder(
    playlist,
    `${state.deviceId}/${playlist.id}`,
    state.positions[playlist.id],
  );
  const findAsset = (itemId: string) =>
    compiledManifest.assets.get(findItem(compiledManifest, playlist.id, itemId)?.content_id ?? '');
  const isPlayable = (itemId: string) => {
    const asset = findAsset(itemId);
    if (!asset || !state.cachedMedia.has(asset.sha256) || !isKindAllowed(state, asset.type)) {
      return false;
    }
    return (state.failures[asset.sha256]?.retryAtMonoMs ?? 0) <= now.monoMs;
  };
  const itemId = order.next(isPlayable);
  const item = itemId === null ? null : findItem(compiledManifest, playlist.id, itemId);
  const asset = item && compiledManifest.assets.get(item.content_id);
  if (!item || !asset) {
    return null;
  }
  const showing: Showing = {
    id: now.playId,
    playlistId: playlist.id,
    itemId: item.id,
    contentId: item.content_id,
    sha256: asset.sha256,
    scheduleId: source.scheduleId,
    ruleId: source.ruleId,
    kind: asset.type,
    durationMs: itemDurationMs(item.duration, asset.type),
    videoEndMs: asset.type === 'video' && asset.duration ? asset.duration * 1_000 : null,
  };
  return { showing, position: order.position() };
}

/** Duration of an item in milliseconds; an image always has one. */
export const itemDurationMs = (seconds: number | null, type: 'image' | 'video'): number | null => {
  if (seconds !== null) {
    return seconds * 1_000;
  }
  return type === 'image' ? DEFAULT_IMAGE_MS : null;
};
