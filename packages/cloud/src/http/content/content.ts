import { contentOperations as operations } from '@placard/protocol/api';
import { refusal } from '../../domain/refusal.ts';
import type { AssetRow } from '../../store/assets.ts';
import { createPauses } from '../../store/pauses.ts';
import type { Repositories } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { playlistChanged } from '../playlists/playlists.ts';
import { presentAsset } from '../present.ts';
import { requireFolder } from './folders.ts';

export async function requireAsset(from: Repositories, id: string): Promise<AssetRow> {
  const row = await from.assets.find(id);
  if (!row) throw refusal('CONTENT_NOT_FOUND', 'The requested content does not exist.');
  return row;
}

export function contentRoutes({
  store,
  blobs,
  links,
  freeBlobs,
}: Pick<HttpDeps, 'store' | 'blobs' | 'links' | 'freeBlobs'>): Route[] {
  return [
    route(operations.listContent, async ({ query }) => {
      const { folder_id: folderId, ...filter } = query;
      const { rows, total } = await store.assets.list({ ...filter, folderId });
      return page(
        rows.map((row) => presentAsset(row, links)),
        total,
        query,
      );
    }),
    route(operations.getContent, async ({ params }) => ({
      data: presentAsset(await requireAsset(store, params.id), links),
    })),
    route(operations.updateContent, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        await requireAsset(work, params.id);
        if (body.folder_id) await requireFolder(work, body.folder_id);
        await work.assets.update(params.id, body, nowMs);
        return { data: presentAsset(await requireAsset(work, params.id), links) };
      }),
    ),
    route(operations.deleteContent, async ({ params, nowMs, commit }) => {
      let unnamed: string[] = [];
      const answer = await commit(async (work) => {
        const asset = await requireAsset(work, params.id);
        const thumbnail = asset.thumbnail?.replace(/\.webp$/, '');
        unnamed = [asset.sha256, ...(thumbnail === undefined ? [] : [thumbnail])];
        const playlists = await work.playlists.showing(params.id);
        const pause = createPauses();
        const ids = playlists.map(({ id }) => id);
        await work.playlists.removeContent(params.id, ids, pause);
        for (const id of ids) await work.playlists.update(id, {}, nowMs);
        await work.assets.delete(params.id);
        // A screen may still be fetching them: their last hour begins now, not when they were put.
        for (const sha256 of unnamed) await blobs.touch(sha256);
        for (const id of ids) {
          await playlistChanged(work, id, links);
          await pause();
        }
        await work.notify({
          type: 'content.deleted',
          resource: params.id,
          data: { content: presentAsset(asset, links), playlists },
        });
        return { data: { id: params.id, deleted: true, playlists } };
      });
      await freeBlobs(unnamed);
      return answer;
    }),
  ];
}
