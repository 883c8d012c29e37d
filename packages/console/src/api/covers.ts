import { queryOptions } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** The address of a picture that stands for a playlist: that of its first item that has one; null if none has. */
export const coverQuery = (playlistId: string) =>
  queryOptions({
    queryKey: ['playlists', playlistId, 'cover'],
    queryFn: async ({ signal }) => {
      const { items } = await placard.playlists.get(playlistId, { signal });
      return items.find(({ content }) => content.thumbnail_url !== null)?.content.thumbnail_url ?? null;
    },
    staleTime: 60_000,
  });
