import { contentOperations as operations } from '@placard/protocol/api';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { publishPlaylistChange } from '../playlists/playlists.ts';
import { presentAsset } from '../../http-server/present.ts';
import { requireFound } from '../request-checks.ts';
import { findContentWarnings } from './content-warnings.ts';
import { requireFolder } from './folders.ts';
import { startGrace } from './grace.ts';

export const requireAsset = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.assets.find(id), 'CONTENT_NOT_FOUND');

export function contentRoutes({ database, blobs, contentUrls, deleteBlobsIfDiskLow }: HttpDeps): Route[] {
  return [
    route(operations.listContent, async ({ query }) => {
      const page = await database.assets.list(query);
      return listResult(page, (row) => presentAsset(row, contentUrls), query);
    }),
    resourceRoute(database, operations.getContent, {
      read: async (source, { id }) => presentAsset(await requireAsset(source, id), contentUrls),
      // Not the thumbnail, which may be made later.
      settingsOf: ({ name, folder_id, tags, sha256 }) => ({ name, folder_id, tags, sha256 }),
    }),
    route(operations.listContentWarnings, async ({ params, actor }) => ({
      data: await findContentWarnings(database, await requireAsset(database, params.id), {
        stores: actor?.stores,
      }),
    })),
    route(operations.updateContent, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        await requireAsset(tx, params.id);
        if (body.folder_id) {
          await requireFolder(tx, body.folder_id);
        }
        await tx.assets.update(params.id, body, nowMs);
        const data = presentAsset(await requireAsset(tx, params.id), contentUrls);
        tx.recordEvent({ type: 'content.updated', resource: params.id, data: { content: data } });
        return { data };
      }),
    ),
    route(operations.deleteContent, async ({ params, nowMs, commit }) => {
      // Not in the transaction, for which other changes would wait as long as for the store.
      const removedHashes = await startGrace(await requireAsset(database, params.id), { database, blobs });
      const result = await commit(async (tx) => {
        const asset = await requireAsset(tx, params.id);
        const playlists = await tx.playlists.listByAsset(params.id);
        const yieldIfLong = createYieldIfLong();
        const ids = playlists.map(({ id }) => id);
        await tx.playlists.removeContent(params.id, ids, yieldIfLong);
        for (const id of ids) {
          await tx.playlists.update(id, {}, nowMs);
        }
        await tx.assets.delete(params.id);
        for (const id of ids) {
          await publishPlaylistChange(tx, id, contentUrls);
          await yieldIfLong();
        }
        tx.recordEvent({
          type: 'content.deleted',
          resource: params.id,
          data: { content: presentAsset(asset, contentUrls), playlists },
        });
        return { data: { id: params.id, deleted: true, playlists } };
      });
      await deleteBlobsIfDiskLow(removedHashes);
      return result;
    }),
  ];
}
