import { orderOf, type OrderPosition } from '@placard/schedule';
import type { PlayDraft } from './plays.ts';
import { itemOf, type Active, type Programme } from './programme.ts';
import type { PlaybackNow, PlaybackState } from './state.ts';

const DEFAULT_IMAGE_MS = 10_000;

export const drawable = (state: PlaybackState, kind: PlayDraft['kind']): boolean =>
  kind === 'image' || !state.imagesOnly;

/** The next showing of a playlist, and where the playlist goes on after it; null when none of it can be shown. */
export function pick(
  state: PlaybackState,
  programme: Programme,
  from: Active,
  now: PlaybackNow,
): { draft: PlayDraft; position: OrderPosition } | null {
  const playlist = programme.playlists.get(from.playlistId ?? '');
  if (!playlist) return null;
  const order = orderOf(playlist, `${state.deviceId}/${playlist.id}`, state.positions[playlist.id]);
  const assetOf = (itemId: string) =>
    programme.assets.get(itemOf(programme, playlist.id, itemId)?.content_id ?? '');
  const playable = (itemId: string) => {
    const asset = assetOf(itemId);
    if (!asset || !state.media.has(asset.sha256) || !drawable(state, asset.type)) return false;
    return (state.failures[asset.sha256]?.retryAtMono ?? 0) <= now.monoMs;
  };
  const itemId = order.next(playable);
  const item = itemId === null ? null : itemOf(programme, playlist.id, itemId);
  const asset = item && programme.assets.get(item.content_id);
  if (!item || !asset) return null;
  const draft: PlayDraft = {
    id: now.playId,
    playlistId: playlist.id,
    itemId: item.id,
    contentId: item.content_id,
    sha256: asset.sha256,
    scheduleId: from.scheduleId,
    ruleId: from.ruleId,
    kind: asset.type,
    durationMs: lengthOf(item.duration, asset.type),
    videoEndMs: asset.type === 'video' && asset.duration ? asset.duration * 1_000 : null,
  };
  return { draft, position: order.position() };
}

/** Seconds of the item to milliseconds; an image always has a length. */
export const lengthOf = (seconds: number | null, type: 'image' | 'video'): number | null => {
  if (seconds !== null) return seconds * 1_000;
  return type === 'image' ? DEFAULT_IMAGE_MS : null;
};
