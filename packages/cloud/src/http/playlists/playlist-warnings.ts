import type { VideoWarning } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { findShownWarnings } from '../video-warnings/find-shown-warnings.ts';

/**
 * Which videos of the playlist cannot be played by devices that show it. Before a transaction, because many devices are read.
 *
 * @param stores those that the person who asks is bound to
 * @param contentIds what the playlist will have instead of what it has
 */
export const findPlaylistWarnings = (
  source: CloudDatabase,
  playlistId: string,
  stores: readonly string[] | null | undefined,
  contentIds?: readonly string[],
): Promise<VideoWarning[]> =>
  findShownWarnings(source, {
    playlistIds: new Set([playlistId]),
    stores,
    content: async () =>
      contentIds
        ? (await source.assets.findByIds([...new Set(contentIds)])).values()
        : source.playlists.listVideos([playlistId]),
  });
