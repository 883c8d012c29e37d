import type { Data, Target } from '@placard/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';

const PAGE_SIZE = 100;

export const playlistsQuery = (search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['playlists', 'list', search],
    initialPageParam: 1,
    queryFn: async ({ pageParam: page, signal }) => {
      const query = { page, limit: PAGE_SIZE, ...(search !== undefined && { search }) };
      const { data, meta } = await placard.playlists.list(query, { signal }).page();
      return { playlists: data, total: meta.total ?? 0, page };
    },
    getNextPageParam: ({ page, total }) => (page * PAGE_SIZE < total ? page + 1 : undefined),
  });

/** A playlist with the ETag that a change to it names. */
export const playlistQuery = (id: string) =>
  queryOptions({
    queryKey: ['playlists', 'one', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/playlists/{id}', { path: { id }, signal });
      return { playlist: data, etag };
    },
  });

/** Which of its videos screens that show the playlist cannot play: what a change of nothing would answer. */
export const warningsQuery = (id: string, etag: string | null) =>
  queryOptions({
    queryKey: ['playlists', 'warnings', id, etag],
    queryFn: async ({ signal }) =>
      (await placard.playlists.update(id, {}, { query: { dry_run: true }, signal })).warnings ?? [],
    staleTime: 60_000,
  });

/** Content to choose from, newest first. */
export const choicesQuery = (search: string) =>
  queryOptions({
    queryKey: ['content', 'choices', search],
    queryFn: async ({ signal }) => {
      const query = { limit: 60, ...(search !== '' && { search }) };
      return (await placard.content.list(query, { signal }).page()).data;
    },
  });

/** The length of a video in seconds; null when unknown. */
export const lengthQuery = (contentId: string) =>
  queryOptions({
    queryKey: ['content', 'length', contentId],
    queryFn: async ({ signal }) => (await placard.content.get(contentId, { signal })).duration,
    staleTime: Infinity,
  });

/** Screens to choose from. */
export const screensQuery = (search: string) =>
  queryOptions({
    queryKey: ['devices', 'choices', search],
    queryFn: async ({ signal }) => {
      const query = { limit: 50, sort: 'name' as const, ...(search !== '' && { search }) };
      const { data, meta } = await placard.devices.list(query, { signal }).page();
      return { devices: data, total: meta.total ?? data.length };
    },
  });

/** What a deployment to these targets would change. Asked anew each time. */
export const deployTrialQuery = (playlistId: string, targets: readonly Target[]) =>
  queryOptions({
    queryKey: ['playlists', 'trial', playlistId, targets],
    queryFn: async ({ signal }) => {
      const options = { query: { dry_run: true }, signal };
      const { dry_run, warnings } = await placard.playlists.deploy(
        playlistId,
        { targets: [...targets] },
        options,
      );
      return { dryRun: dry_run, warnings };
    },
    staleTime: 0,
    gcTime: 0,
  });

/** The newest deployment of a playlist that is in force. */
export const newestDeploymentQuery = (playlistId: string) =>
  queryOptions({
    queryKey: ['playlists', 'deployment', playlistId],
    queryFn: async ({ signal }) => {
      const query = { playlist_id: playlistId, limit: 1 };
      return (await placard.playlists.listDeployments(query, { signal }).page()).data[0] ?? null;
    },
  });

/** A playlist, and the ETag of the state that is edited. */
export interface EditedPlaylist {
  playlist: Data<'getPlaylist'>;
  etag: string | null;
}
