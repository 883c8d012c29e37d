import { PlacardError } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { bodyOf, draftOf } from './schedule-draft.ts';
import type { Draft, Schedule } from './schedule-draft.ts';
import { tryQuery } from './schedule-queries.ts';

/** Trying begins when somebody pauses. */
const PAUSE_MS = 400;

/** What is edited of a schedule, what saving it would do, and saving it only if nobody else has changed it. */
export function useEditedDraft(schedule: Schedule, etag: string | null) {
  const queries = useQueryClient();
  const editor = useEdited<Draft>(`schedule ${schedule.id}`, etag);
  const { edited, from } = editor;
  const draft = edited ?? draftOf(schedule);
  const isEdited = edited !== null;
  /** The drafts before the current one; null is the schedule as it is. */
  const [before, setBefore] = useState<readonly (Draft | null)[]>([]);
  const [paused, setPaused] = useState<Draft | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(edited), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [edited]);
  const giveUp = () => {
    setBefore([]);
    editor.discard();
  };
  const tried = useQuery({ ...tryQuery(schedule.id, paused ?? draft), enabled: paused !== null });
  const save = useMutation({
    mutationFn: () =>
      placard.schedules.update(schedule.id, bodyOf(draft), {
        ...(from !== null && { ifMatch: from }),
      }),
    onSuccess: giveUp,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['schedules', 'one'] });
      void queries.invalidateQueries({ queryKey: ['schedules', 'list'] });
      void queries.invalidateQueries({ queryKey: ['timeline'] });
    },
  });
  const isCurrent = paused === draft;
  return {
    draft,
    isEdited,
    restoredAtMs: editor.restoredAtMs,
    tried: isCurrent ? tried.data : undefined,
    error: save.error ?? (isCurrent ? tried.error : null),
    isConflict: save.error instanceof PlacardError && save.error.status === 412,
    isSaving: save.isPending,
    edit: (changed: Partial<Draft>) => {
      save.reset();
      setBefore([...before, edited]);
      editor.edit({ ...draft, ...changed });
    },
    undo: () => {
      const last = before.at(-1) ?? null;
      setBefore(before.slice(0, -1));
      if (last === null) {
        editor.discard();
      } else {
        editor.edit(last);
      }
    },
    discard: () => {
      save.reset();
      giveUp();
    },
    save: () => save.mutate(),
    /** Goes on from what the schedule is now. */
    keepMine: () => {
      editor.rebase();
      save.reset();
    },
  };
}
