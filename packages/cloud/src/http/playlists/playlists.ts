import { LIMITS } from '@placard/protocol';
import { playlistOperations as operations } from '@placard/protocol/api';
import type { ItemInput, Playlist, PlaylistDetail } from '@placard/protocol/api';
import { resolveItemDuration, assignItemIds } from '../../domain/playlist-items.ts';
import type { PlaylistItem } from '../../domain/playlist-items.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import type { Repositories, Transaction } from '../../database/cloud-database.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Resource, Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireAll, requireFound, requireWithinLimits } from '../request-checks.ts';
import { findPlaylistWarnings } from './playlist-warnings.ts';
import { presentPlaylist, presentPlaylistSummary } from '../../http-server/present.ts';
import type { ContentUrls } from '../../http-server/present.ts';

export const requirePlaylist = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.playlists.find(id), 'PLAYLIST_NOT_FOUND');

export function playlistRoutes({ database, contentUrls, newId }: HttpDeps): Route[] {
  const playlistResource: Resource<{ id: string }, PlaylistDetail> = {
    read: async (source, { id }, stores) => ({
      ...(await readPlaylist(source, id, contentUrls)),
      shown_elsewhere: stores !== undefined && (await source.playlists.isShownElsewhere(id, stores)),
    }),
    settingsOf: ({ name, mode, items }) => ({
      name,
      mode,
      items: items.map(({ content: _content, ...item }) => item),
    }),
  };

  return [
    route(operations.listPlaylists, async ({ query }) =>
      listResult(await database.playlists.list(query), presentPlaylistSummary, query),
    ),
    route(operations.createPlaylist, async ({ body, nowMs, commit }) =>
      commit(async (tx) => {
        const id = newId('playlist');
        await tx.playlists.insert({
          id,
          name: body.name,
          mode: body.mode,
          created_at: nowMs,
          updated_at: nowMs,
        });
        const contentTypeOf = await contentTypes(tx, body.items);
        await tx.playlists.replaceItems(
          id,
          assignItemIds([], body.items, contentTypeOf, () => newId('item')),
        );
        requireWithinLimits(await tx.playlists.countAll(), body.items.length > 0 ? 'items' : '');
        tx.invalidateManifests({ playlistId: id });
        const data = await readPlaylist(tx, id, contentUrls);
        tx.recordEvent({ type: 'playlist.created', resource: id, data: { playlist: data } });
        return { data };
      }),
    ),
    resourceRoute(database, operations.getPlaylist, playlistResource),
    route(operations.updatePlaylist, async ({ params, body, nowMs, actor, commit }) => {
      const contentIds = body.items?.map(({ content_id }) => content_id);
      const warnings = await findPlaylistWarnings(database, params.id, actor?.stores, contentIds);
      return commit(async (tx) => {
        const before = await requirePlaylist(tx, params.id);
        const existingItems = await tx.playlists.items(params.id);
        const { items: sent, ...change } = body;
        let items: PlaylistItem[] = existingItems.map(toItem);
        if (sent) {
          const contentTypeOf = await contentTypes(tx, sent);
          items = assignItemIds(existingItems, sent, contentTypeOf, () => newId('item'));
          await tx.playlists.replaceItems(params.id, items);
          if (items.length > existingItems.length) {
            requireWithinLimits(await tx.playlists.countAll(), 'items');
          }
        }
        requireWeights(body.mode ?? before.mode, items);
        await tx.playlists.update(params.id, change, nowMs);
        return { data: { ...(await publishPlaylistChange(tx, params.id, contentUrls)), warnings } };
      });
    }),
    route(operations.addPlaylistItem, async ({ params, body, nowMs, actor, commit }) => {
      const present = await database.playlists.items(params.id);
      const contentIds = [...present, body].map(({ content_id }) => content_id);
      const warnings = await findPlaylistWarnings(database, params.id, actor?.stores, contentIds);
      return commit(async (tx) => {
        const before = await requirePlaylist(tx, params.id);
        const contentTypeOf = await contentTypes(tx, [body]);
        const items: PlaylistItem[] = (await tx.playlists.items(params.id)).map(toItem);
        const added = {
          id: newId('item'),
          content_id: body.content_id,
          duration: resolveItemDuration(body.duration, contentTypeOf(body.content_id)),
          weight: body.weight ?? null,
        };
        if (before.mode === 'weighted' && added.weight === null) {
          throw validationError([{ path: 'weight', message: 'is required when mode is weighted' }]);
        }
        items.splice(body.position ?? items.length, 0, added);
        if (items.length > LIMITS.itemsPerPlaylist) {
          throw validationError([
            {
              path: 'content_id',
              message: `a playlist can have at most ${LIMITS.itemsPerPlaylist} items; remove some first`,
            },
          ]);
        }
        await tx.playlists.replaceItems(params.id, items);
        requireWithinLimits(await tx.playlists.countAll(), 'content_id');
        await tx.playlists.update(params.id, {}, nowMs);
        return { data: { ...(await publishPlaylistChange(tx, params.id, contentUrls)), warnings } };
      });
    }),
    route(operations.removePlaylistItem, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        await requirePlaylist(tx, params.id);
        const items = await tx.playlists.items(params.id);
        if (!items.some((item) => item.id === params.item_id)) {
          throw new ApiError('ITEM_NOT_FOUND', 'The requested playlist item does not exist.');
        }
        const remainingItems = items.filter((item) => item.id !== params.item_id);
        await tx.playlists.replaceItems(params.id, remainingItems.map(toItem));
        await tx.playlists.update(params.id, {}, nowMs);
        await publishPlaylistChange(tx, params.id, contentUrls);
        return { data: { id: params.item_id, deleted: true } };
      }),
    ),
    route(operations.deletePlaylist, async ({ params, commit }) =>
      commit(async (tx) => {
        const playlist = await readPlaylist(tx, params.id, contentUrls);
        const schedules = await tx.playlists.schedulesUsing(params.id);
        if (schedules.length > 0) {
          throw new ApiError(
            'PLAYLIST_IN_USE',
            `The playlist is used by ${schedules.length} schedule(s): ${schedules.map((s) => s.name).join(', ')}.`,
            { details: { schedules } },
          );
        }
        const deployedTargets = await tx.deployments.targetsOfPlaylist(params.id);
        await tx.playlists.delete(params.id);
        tx.invalidateManifests({ playlistId: params.id });
        tx.invalidateManifests({ deployedTargets });
        tx.recordEvent({
          type: 'playlist.deleted',
          resource: params.id,
          data: { playlist },
        });
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

/** After a change: marks the affected manifests and notifies webhooks. */
export async function publishPlaylistChange(
  tx: Transaction,
  id: string,
  contentUrls: ContentUrls,
): Promise<Playlist> {
  const data = await readPlaylist(tx, id, contentUrls);
  tx.invalidateManifests({ playlistId: id });
  tx.recordEvent({ type: 'playlist.updated', resource: id, data: { playlist: data } });
  return data;
}

const toItem = ({ id, content_id, duration, weight }: PlaylistItem): PlaylistItem => ({
  id,
  content_id,
  duration,
  weight,
});

async function readPlaylist(
  repositories: Repositories,
  id: string,
  contentUrls: ContentUrls,
): Promise<Playlist> {
  return presentPlaylist(
    await requirePlaylist(repositories, id),
    await repositories.playlists.items(id),
    contentUrls,
  );
}

/** The type of each referenced asset; throws when one does not exist. */
async function contentTypes(
  repositories: Repositories,
  items: readonly Pick<ItemInput, 'content_id'>[],
): Promise<(contentId: string) => string> {
  const ids = [...new Set(items.map((item) => item.content_id))];
  const found = await repositories.assets.findByIds(ids);
  requireAll(ids, found, 'CONTENT_NOT_FOUND', 'An item names content that does not exist');
  return (id) => found.get(id)?.type ?? 'image';
}

function requireWeights(mode: string, items: readonly PlaylistItem[]): void {
  if (mode !== 'weighted') {
    return;
  }
  const problems = items.flatMap((item, index) =>
    item.weight === null
      ? [{ path: `items.${index}.weight`, message: 'is required when mode is weighted' }]
      : [],
  );
  if (problems.length > 0) {
    throw validationError(problems);
  }
}
