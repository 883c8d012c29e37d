import type { Asset } from '@placard/protocol/api';
import type { StagedBlob } from '../../blob/blob-store.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { AssetChange } from '../../domain/upload-metadata.ts';
import type { Transaction } from '../../database/cloud-database.ts';
import type { HandlerResult } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentAsset } from '../../http-server/present.ts';
import type { ShownVideo } from '../video-warnings/find-video-warnings.ts';
import { requireAsset } from './content.ts';
import type { AssetDeps, CommitAsset } from './create-asset.ts';
import { requireFolder } from './folders.ts';
import { startGrace } from './grace.ts';
import { storeMedia } from './store-media.ts';

/** Playlists that an error names. */
const MAX_NAMED = 10;

/** Commits the replacement; `video` is the asset with what is known of the new file. */
type CommitReplacement = (
  write: Parameters<CommitAsset>[0],
  video: ShownVideo,
) => Promise<HandlerResult<Asset>>;

interface Replacement {
  id: string;
  change: AssetChange;
  owner: string;
  nowMs: number;
}

/**
 * Gives an asset a staged file in place of its own, or deletes the staged one on failure. The asset stays the same in
 * playlists, and players that are fetching the old file can finish.
 */
export async function replaceAsset(
  staged: StagedBlob,
  { id, change, owner, nowMs }: Replacement,
  deps: AssetDeps & Pick<HttpDeps, 'deleteBlobsIfDiskLow'>,
  commit: CommitReplacement,
): Promise<HandlerResult<Asset>> {
  const { database, contentUrls, deleteBlobsIfDiskLow } = deps;
  let oldHashes: string[] = [];
  const result = await storeMedia(staged, owner, deps, {
    async check() {
      await requireAsset(database, id);
      if (change.folder_id !== undefined) {
        await requireFolder(database, change.folder_id);
      }
    },
    async write(media) {
      const replaced = await requireAsset(database, id);
      oldHashes = await startGrace(replaced, deps);
      const video = { ...media, id, name: change.name ?? replaced.name };
      return commit(async (tx) => {
        const before = await requireAsset(tx, id);
        if (change.folder_id !== undefined) {
          await requireFolder(tx, change.folder_id);
        }
        if (before.type === 'video' && media.type === 'image') {
          await requireDurations(tx, id);
        }
        if (media.thumbnail !== null) {
          await tx.assets.setThumbnail(media.sha256, media.thumbnail);
        }
        await tx.assets.update(id, { ...media, ...change }, nowMs);
        await tx.renditions.delete(id);
        tx.invalidateManifests({ assetId: id });
        for (const playlist of await tx.playlists.listByAsset(id)) {
          tx.invalidateManifests({ playlistId: playlist.id });
        }
        const data = presentAsset(await requireAsset(tx, id), contentUrls);
        tx.recordEvent({ type: 'content.updated', resource: id, data: { content: data } });
        return { data };
      }, video);
    },
  });
  await deleteBlobsIfDiskLow(oldHashes);
  return result;
}

/** Throws when an item would show an image without an end. */
async function requireDurations({ playlists }: Pick<Transaction, 'playlists'>, id: string): Promise<void> {
  const endless = await playlists.listByAsset(id, { withoutDuration: true });
  const named = endless.slice(0, MAX_NAMED);
  const more = endless.length - named.length;
  if (named.length > 0) {
    throw new ApiError(
      'CONFLICT',
      'An image cannot replace this video: items of playlists show the video to its end, and an image has none. Give these ' +
        `items a duration first: ${named.map(({ name }) => name).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      { details: { reason: 'duration_required', playlist_count: endless.length, playlists: named } },
    );
  }
}
