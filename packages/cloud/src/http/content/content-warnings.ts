import type { VideoWarning } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { findShownWarnings } from '../video-warnings/find-shown-warnings.ts';
import type { ShownVideo } from '../video-warnings/find-video-warnings.ts';

/**
 * Whether devices that show an asset cannot play it. Before a transaction, because many devices are read.
 *
 * @param asset with what is known of its file, or of the one that is about to replace it
 * @param options `stores` are those that the person who asks is bound to; `isNew`: the file is about to replace another
 */
export async function findContentWarnings(
  source: CloudDatabase,
  asset: ShownVideo,
  options: { stores: readonly string[] | null | undefined; isNew?: boolean },
): Promise<VideoWarning[]> {
  if (asset.codec === null) {
    return [];
  }
  const playlists = await source.playlists.listByAsset(asset.id);
  return findShownWarnings(source, {
    ...options,
    playlistIds: new Set(playlists.map(({ id }) => id)),
    content: async () => [asset],
  });
}
