import type { Playlist } from '@placard/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { bodyOf, draftOf } from './playlist-draft.ts';
import { playlistQuery } from './playlist-queries.ts';

/** What somebody changes of a playlist, until it is saved. What others change meanwhile is not overwritten unseen. */
export function usePlaylistEditor(playlist: Playlist, etag: string | null) {
  const queries = useQueryClient();
  return useEditor({
    kind: 'playlist',
    id: playlist.id,
    etag,
    stored: draftOf(playlist),
    valuesOf: draftOf,
    save: (draft, condition) =>
      placard.request('PATCH /v1/playlists/{id}', {
        path: { id: playlist.id },
        body: bodyOf(draft),
        ...condition,
      }),
    readAgain: async () => {
      await queries.invalidateQueries({ queryKey: playlistQuery(playlist.id).queryKey });
      void queries.invalidateQueries({ queryKey: ['playlists'] });
    },
  });
}

export type PlaylistEditor = ReturnType<typeof usePlaylistEditor>;
