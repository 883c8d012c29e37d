import type { Asset, Folder } from '@placard/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';

/** Orders besides the newest first. */
export const SORTS = ['name', '-size'] as const;
export type Sort = (typeof SORTS)[number];

/** As in the address of the page. */
export interface ContentFilters {
  folder?: string;
  search?: string;
  type?: Asset['type'];
  sort?: Sort;
}

const PAGE_SIZE = 60;

/** The files that match, a page after the other. A search looks into all folders, otherwise one is shown. */
export const contentQuery = ({ folder, search, type, sort }: ContentFilters) =>
  infiniteQueryOptions({
    queryKey: ['content', 'list', { folder, search, type, sort }],
    initialPageParam: 1,
    queryFn: async ({ pageParam: page, signal }) => {
      const query = {
        page,
        limit: PAGE_SIZE,
        ...(search === undefined ? { folder_id: folder ?? 'root' } : { search }),
        ...(search !== undefined && folder !== undefined && { folder_id: folder }),
        ...(type && { type }),
        ...(sort && { sort }),
      };
      const { data, meta } = await placard.content.list(query, { signal }).page();
      return { assets: data, total: meta.total ?? 0, page };
    },
    getNextPageParam: ({ page, total }) => (page * PAGE_SIZE < total ? page + 1 : undefined),
  });

/** All folders by id. */
export const foldersQuery = queryOptions({
  queryKey: ['content', 'folders'],
  queryFn: async ({ signal }) => {
    const folders = await placard.folders.list({ sort: 'name' }, { signal }).toArray();
    return new Map(folders.map((folder) => [folder.id, folder]));
  },
  staleTime: 60_000,
});

/** A file with the ETag that a change to it names. */
export const assetQuery = (id: string) =>
  queryOptions({
    queryKey: ['content', 'asset', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/content/{id}', { path: { id }, signal });
      return { asset: data, etag };
    },
  });

/** How often one asks for a copy that is being made. */
const RENDITION_INTERVAL_MS = 5000;

/** The copies of a file for screens that cannot play it. */
export const renditionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['content', 'renditions', id],
    queryFn: ({ signal }) => placard.content.listRenditions(id, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ state }) => state === 'wanted' || state === 'making') ? RENDITION_INTERVAL_MS : false,
  });

/** Which screens that show the file cannot play it: of this file, so that another one in its place is asked about anew. */
export const warningsQuery = ({ id, sha256 }: Asset) =>
  queryOptions({
    // Not below `content`, which every event about some content would read again.
    queryKey: ['content-warnings', id, sha256],
    queryFn: ({ signal }) => placard.content.listWarnings(id, { signal }),
    staleTime: 60_000,
  });

/** The playlists that have this file; the first hundred. */
export const usesQuery = (contentId: string) =>
  queryOptions({
    queryKey: ['playlists', 'with', contentId],
    queryFn: async ({ signal }) => {
      const { data, meta } = await placard.playlists
        .list({ content_id: contentId, limit: 100 }, { signal })
        .page();
      return { playlists: data, total: meta.total ?? data.length };
    },
  });

/** Of how many playlists the screens are counted. */
const MOST_COUNTED = 10;

/** How many screens show each playlist of a file in the next days, by its id; of the first few playlists. */
export const screensQuery = (contentId: string, playlistIds: readonly string[]) =>
  queryOptions({
    queryKey: ['playlists', 'screens', contentId, playlistIds],
    queryFn: async ({ signal }) => {
      const counts = new Map<string, number>();
      // One after the other: few dry runs may run at once.
      for (const id of playlistIds.slice(0, MOST_COUNTED)) {
        const { items } = await placard.playlists.get(id, { signal });
        const item = items.find(({ content_id }) => content_id === contentId);
        if (item) {
          const { data } = await placard.request('DELETE /v1/playlists/{id}/items/{item_id}', {
            path: { id, item_id: item.id },
            query: { dry_run: true },
            signal,
          });
          counts.set(id, data.dry_run?.device_count ?? 0);
        }
      }
      return counts;
    },
    staleTime: 60_000,
  });

export type Folders = ReadonlyMap<string, Folder>;

/** The folder and those that it is in, outermost first. */
export function pathOf(folders: Folders, id: string | undefined): Folder[] {
  const path: Folder[] = [];
  for (let folder = folders.get(id ?? ''); folder && !path.includes(folder);) {
    path.unshift(folder);
    folder = folders.get(folder.parent_id ?? '');
  }
  return path;
}

/** All folders with the names of those that they are in; without one folder and what is in it. */
export const folderChoices = (folders: Folders, except?: string): [id: string, path: string][] =>
  [...folders.keys()]
    .map((id) => pathOf(folders, id))
    .filter((path) => !path.some(({ id }) => id === except))
    .map((path): [string, string] => [path.at(-1)?.id ?? '', path.map(({ name }) => name).join(' / ')])
    .toSorted(([, a], [, b]) => a.localeCompare(b));
