import type { Asset } from '@placard/protocol/api';
import type { StagedBlob } from '../../blob/blob-store.ts';
import type { Transaction } from '../../database/cloud-database.ts';
import type { HandlerResult } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentAsset } from '../../http-server/present.ts';
import { requireWithinLimits } from '../request-checks.ts';
import { requireAsset } from './content.ts';
import { requireFolder } from './folders.ts';
import { storeMedia } from './store-media.ts';

export interface AssetDescription {
  name: string;
  tags: readonly string[];
  folderId: string | null;
}

export type AssetDeps = Pick<HttpDeps, 'database' | 'blobs' | 'contentUrls' | 'newId' | 'inspector'>;
export type CommitAsset = (
  write: (tx: Transaction) => Promise<HandlerResult<Asset>>,
) => Promise<HandlerResult<Asset>>;

/** Creates an asset from a staged file, or deletes the file on failure. Inspections are queued fairly by `owner`. */
export async function createAsset(
  staged: StagedBlob,
  { description, owner, nowMs }: { description: AssetDescription; owner: string; nowMs: number },
  deps: AssetDeps,
  commit: CommitAsset,
): Promise<HandlerResult<Asset>> {
  const { database, contentUrls, newId } = deps;
  return storeMedia(staged, owner, deps, {
    async check() {
      if (description.folderId !== null) {
        await requireFolder(database, description.folderId);
      }
      requireWithinLimits({ assets: (await database.assets.count()) + 1 }, '');
    },
    write: (media) =>
      commit(async (tx) => {
        if (description.folderId !== null) {
          await requireFolder(tx, description.folderId);
        }
        // Existing assets with the same bytes get the new thumbnail too: theirs may be missing or damaged.
        if (media.thumbnail !== null) {
          await tx.assets.setThumbnail(media.sha256, media.thumbnail);
        }
        const id = newId('asset');
        await tx.assets.insert(
          {
            id,
            name: description.name,
            ...media,
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
      }),
  });
}
