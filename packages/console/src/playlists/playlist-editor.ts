import type { Playlist } from '@placard/client';
import { PlacardError } from '@placard/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { placard } from '../api/placard.ts';
import { bodyOf, draftOf } from './playlist-draft.ts';
import type { Draft } from './playlist-draft.ts';
import { playlistQuery } from './playlist-queries.ts';

/** What somebody changes of a playlist, until it is saved. What others change meanwhile is not overwritten unseen. */
export function usePlaylistEditor(playlist: Playlist, etag: string | null) {
  const queries = useQueryClient();
  /** What was changed; null while nothing is. */
  const [edited, setEdited] = useState<Draft | null>(null);
  const [editedFrom, setEditedFrom] = useState(etag);
  const draft = edited ?? draftOf(playlist);
  const { queryKey } = playlistQuery(playlist.id);
  const save = useMutation({
    mutationFn: (next: Draft) =>
      placard.playlists.update(playlist.id, bodyOf(next), {
        ...(editedFrom !== null && { ifMatch: editedFrom }),
      }),
    onSuccess: async () => {
      // What is edited next is edited from the new state.
      await queries.invalidateQueries({ queryKey });
      setEdited(null);
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['playlists'] }),
  });
  return {
    draft,
    isDirty: edited !== null,
    isConflict: save.error instanceof PlacardError && save.error.status === 412,
    save,
    edit: (changed: Partial<Draft>) => {
      if (edited === null) {
        setEditedFrom(etag);
      }
      setEdited({ ...draft, ...changed });
    },
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
      setEditedFrom(etag);
      save.reset();
    },
    discard: () => {
      setEdited(null);
      save.reset();
    },
  };
}

export type PlaylistEditor = ReturnType<typeof usePlaylistEditor>;
