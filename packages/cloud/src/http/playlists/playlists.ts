import { LIMITS } from '@placard/protocol';
import { playlistOperations as operations } from '@placard/protocol/api';
import type { ItemInput, Playlist } from '@placard/protocol/api';
import { itemDuration, matchItems } from '../../domain/playlist-items.ts';
import type { Item } from '../../domain/playlist-items.ts';
import { invalid, refusal } from '../../domain/refusal.ts';
import type { PlaylistSummaryRow } from '../../store/playlists.ts';
import type { Repositories, Work } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { requireRoom } from '../require.ts';
import { presentPlaylist, presentPlaylistSummary } from '../present.ts';
import type { Links } from '../present.ts';

export async function requirePlaylist(from: Repositories, id: string): Promise<PlaylistSummaryRow> {
  const row = await from.playlists.find(id);
  if (!row) throw refusal('PLAYLIST_NOT_FOUND', 'The requested playlist does not exist.');
  return row;
}

export function playlistRoutes({
  store,
  links,
  newId,
}: Pick<HttpDeps, 'store' | 'links' | 'newId'>): Route[] {
  return [
    route(operations.listPlaylists, async ({ query }) => {
      const { rows, total } = await store.playlists.list(query);
      return page(rows.map(presentPlaylistSummary), total, query);
    }),
    route(operations.createPlaylist, async ({ body, nowMs, commit }) =>
      commit(async (work) => {
        const id = newId('playlist');
        await work.playlists.insert({
          id,
          name: body.name,
          mode: body.mode,
          created_at: nowMs,
          updated_at: nowMs,
        });
        const types = await contentTypes(work, body.items);
        await work.playlists.replaceItems(
          id,
          matchItems([], body.items, types, () => newId('item')),
        );
        requireRoom(await work.playlists.totals(), body.items.length > 0 ? 'items' : '');
        const data = await shown(work, id, links);
        await work.notify({ type: 'playlist.created', resource: id, data: { playlist: data } });
        return { data };
      }),
    ),
    route(operations.getPlaylist, async ({ params }) => ({ data: await shown(store, params.id, links) })),
    route(operations.updatePlaylist, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        const before = await requirePlaylist(work, params.id);
        const held = await work.playlists.items(params.id);
        const { items: sent, ...change } = body;
        let items: Item[] = held.map(plain);
        if (sent) {
          const types = await contentTypes(work, sent);
          items = matchItems(held, sent, types, () => newId('item'));
          await work.playlists.replaceItems(params.id, items);
          if (items.length > held.length) requireRoom(await work.playlists.totals(), 'items');
        }
        requireWeights(body.mode ?? before.mode, items);
        await work.playlists.update(params.id, change, nowMs);
        return { data: await playlistChanged(work, params.id, links) };
      }),
    ),
    route(operations.addPlaylistItem, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        const before = await requirePlaylist(work, params.id);
        const types = await contentTypes(work, [body]);
        const items: Item[] = (await work.playlists.items(params.id)).map(plain);
        const added = {
          id: newId('item'),
          content_id: body.content_id,
          duration: itemDuration(body.duration, types(body.content_id)),
          weight: body.weight ?? null,
        };
        if (before.mode === 'weighted' && added.weight === null)
          throw invalid([{ path: 'weight', message: 'is required when mode is weighted' }]);
        items.splice(body.position ?? items.length, 0, added);
        if (items.length > LIMITS.itemsPerPlaylist)
          throw invalid([
            {
              path: 'content_id',
              message: `a playlist can have ${LIMITS.itemsPerPlaylist} items. Remove some first`,
            },
          ]);
        await work.playlists.replaceItems(params.id, items);
        requireRoom(await work.playlists.totals(), 'content_id');
        await work.playlists.update(params.id, {}, nowMs);
        return { data: await playlistChanged(work, params.id, links) };
      }),
    ),
    route(operations.removePlaylistItem, async ({ params, nowMs, commit }) =>
      commit(async (work) => {
        await requirePlaylist(work, params.id);
        const items = await work.playlists.items(params.id);
        if (!items.some((item) => item.id === params.item_id))
          throw refusal('ITEM_NOT_FOUND', 'The requested playlist item does not exist.');
        const rest = items.filter((item) => item.id !== params.item_id);
        await work.playlists.replaceItems(params.id, rest.map(plain));
        await work.playlists.update(params.id, {}, nowMs);
        await playlistChanged(work, params.id, links);
        return { data: { id: params.item_id, deleted: true } };
      }),
    ),
    route(operations.deletePlaylist, async ({ params, commit }) =>
      commit(async (work) => {
        const playlist = await shown(work, params.id, links);
        const schedules = await work.playlists.schedulesUsing(params.id);
        if (schedules.length > 0)
          throw refusal(
            'PLAYLIST_IN_USE',
            `The playlist is used by ${schedules.length} schedule(s): ${schedules.map((s) => s.name).join(', ')}.`,
            { details: { schedules } },
          );
        await work.playlists.delete(params.id);
        work.affects('all');
        await work.notify({
          type: 'playlist.deleted',
          resource: params.id,
          data: { playlist },
        });
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

/** After a change: screens may show something else, and webhooks want to know. */
export async function playlistChanged(work: Work, id: string, links: Links): Promise<Playlist> {
  const data = await shown(work, id, links);
  work.affects('all');
  await work.notify({ type: 'playlist.updated', resource: id, data: { playlist: data } });
  return data;
}

const plain = ({ id, content_id, duration, weight }: Item): Item => ({ id, content_id, duration, weight });

async function shown(from: Repositories, id: string, links: Links): Promise<Playlist> {
  return presentPlaylist(await requirePlaylist(from, id), await from.playlists.items(id), links);
}

/** The kind of each asset that is named; refuses when one does not exist. */
async function contentTypes(
  from: Repositories,
  items: readonly Pick<ItemInput, 'content_id'>[],
): Promise<(contentId: string) => string> {
  const found = await from.assets.findMany(items.map((item) => item.content_id));
  const missing = [...new Set(items.map((item) => item.content_id))].filter((id) => !found.has(id));
  if (missing.length > 0)
    throw refusal('CONTENT_NOT_FOUND', `An item names content that does not exist: ${missing[0]}.`, {
      details: { ids: missing },
    });
  return (id) => found.get(id)?.type ?? 'image';
}

function requireWeights(mode: string, items: readonly Item[]): void {
  if (mode !== 'weighted') return;
  const problems = items.flatMap((item, index) =>
    item.weight === null
      ? [{ path: `items.${index}.weight`, message: 'is required when mode is weighted' }]
      : [],
  );
  if (problems.length > 0) throw invalid(problems);
}
