import type { Playlist } from '@placard/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { isConflict } from '../ui/error-message.tsx';
import { bodyOf, draftOf } from './playlist-draft.ts';
import type { Draft } from './playlist-draft.ts';
import { playlistQuery } from './playlist-queries.ts';

/** What somebody changes of a playlist, until it is saved. What others change meanwhile is not overwritten unseen. */
export function usePlaylistEditor(playlist: Playlist, etag: string | null) {
  const queries = useQueryClient();
  const editor = useEdited<Draft>(`playlist ${playlist.id}`, etag);
  const { edited, from, discard } = editor;
  const draft = edited ?? draftOf(playlist);
  const { queryKey } = playlistQuery(playlist.id);
  const save = useMutation({
    mutationFn: (next: Draft) =>
      placard.playlists.update(playlist.id, bodyOf(next), {
        ...(from !== null && { ifMatch: from }),
      }),
    onSuccess: async () => {
      // What is edited next is edited from the new state.
      await queries.invalidateQueries({ queryKey });
      discard();
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['playlists'] }),
  });
  return {
    draft,
    isDirty: edited !== null,
    isConflict: isConflict(save.error),
    save,
    restoredAtMs: editor.restoredAtMs,
    edit: (changed: Partial<Draft>) => editor.edit({ ...draft, ...changed }),
    /** Whether it is saved. */
    saveNow: async (): Promise<boolean> => {
      try {
        await save.mutateAsync(draft);
        return true;
      } catch {
        return false;
      }
    },
    /** The next save overwrites what others have changed meanwhile. */
    keepMine: () => {
      editor.rebase();
      save.reset();
    },
    discard: () => {
      discard();
      save.reset();
    },
  };
}

export type PlaylistEditor = ReturnType<typeof usePlaylistEditor>;
