import type { Asset } from '@placard/protocol/api';
import type { StagedBlob } from '../../blob/blob-store.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { Transaction } from '../../database/cloud-database.ts';
import type { HandlerResult } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentAsset } from '../../http-server/present.ts';
import { requireWithinLimits } from '../request-checks.ts';
import { requireAsset } from './content.ts';
import { requireFolder } from './folders.ts';

export interface AssetDescription {
  name: string;
  tags: readonly string[];
  folderId: string | null;
}

type CreateAssetDeps = Pick<HttpDeps, 'database' | 'blobs' | 'contentUrls' | 'newId' | 'inspector'>;
type Commit = (write: (tx: Transaction) => Promise<HandlerResult<Asset>>) => Promise<HandlerResult<Asset>>;

/** Creates an asset from a staged file, or deletes the file on failure. Inspections are queued fairly by `owner`. */
export async function createAsset(
  staged: StagedBlob,
  { description, owner, nowMs }: { description: AssetDescription; owner: string; nowMs: number },
  { database, blobs, contentUrls, newId, inspector }: CreateAssetDeps,
  commit: Commit,
): Promise<HandlerResult<Asset>> {
  let thumbnail: StagedBlob | null = null;
  try {
    if (description.folderId !== null) {
      await requireFolder(database, description.folderId);
    }
    requireWithinLimits({ assets: (await database.assets.count()) + 1 }, '');
    const inspected = await inspector.inspect(staged.path, owner);
    if ('reason' in inspected) {
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', inspected.message, {
        details: { reason: inspected.reason },
      });
    }
    await staged.save();
    if (inspected.thumbnail) {
      thumbnail = await blobs.put(inspected.thumbnail);
    }
    const thumbnailName = thumbnail && `${thumbnail.sha256}.webp`;
    return await commit(async (tx) => {
      if (description.folderId !== null) {
        await requireFolder(tx, description.folderId);
      }
      // Existing assets with the same bytes get the new thumbnail too: theirs may be missing or damaged.
      if (thumbnailName) {
        await tx.assets.setThumbnail(staged.sha256, thumbnailName);
      }
      const id = newId('asset');
      await tx.assets.insert(
        {
          id,
          name: description.name,
          type: inspected.type,
          format: inspected.format,
          width: inspected.width,
          height: inspected.height,
          size: staged.size,
          duration: inspected.durationSeconds,
          sha256: staged.sha256,
          thumbnail: thumbnailName,
          thumbnail_fault: inspected.thumbnailFault,
          folder_id: description.folderId,
          created_at: nowMs,
          updated_at: nowMs,
        },
        description.tags,
      );
      requireWithinLimits({ assets: await tx.assets.count() }, '');
      const data = presentAsset(await requireAsset(tx, id), contentUrls);
      tx.recordEvent({ type: 'content.created', resource: id, data: { content: data } });
      return { data };
    });
  } finally {
    await staged.release();
    await thumbnail?.release();
  }
}
