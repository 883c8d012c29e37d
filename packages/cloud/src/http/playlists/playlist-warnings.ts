import type { VideoWarning } from '@placard/protocol/api';
import { targetOfKey } from '@placard/schedule';
import type { ResourceSource } from '../../http-server/operation-route.ts';
import { targetKeysShowing } from '../../domain/manifest-content.ts';
import { findVideoWarnings } from '../video-warnings/find-video-warnings.ts';
import type { ShownVideo } from '../video-warnings/find-video-warnings.ts';

/**
 * Which videos of the playlist cannot be played by devices that it is deployed to or scheduled for. Before a transaction,
 * because many devices are read.
 *
 * @param stores those that the person who asks is bound to
 * @param contentIds what the playlist will have instead of what it has
 */
export async function findPlaylistWarnings(
  source: ResourceSource,
  playlistId: string,
  stores: readonly string[] | null | undefined,
  contentIds?: readonly string[],
): Promise<VideoWarning[]> {
  const { content: shown } = await source.manifestBuilder();
  const targets = [...targetKeysShowing(shown, new Set([playlistId]))].map(targetOfKey);
  if (targets.length === 0) {
    return [];
  }
  const content: Iterable<ShownVideo> = contentIds
    ? (await source.assets.findByIds([...new Set(contentIds)])).values()
    : await source.playlists.listVideos([playlistId]);
  return findVideoWarnings(source, { content, targets, stores: stores ?? undefined });
}
