import { PlacardError } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import { bodyOf, draftOf } from './schedule-draft.ts';
import type { Draft, Schedule } from './schedule-draft.ts';
import { tryQuery } from './schedule-queries.ts';

/** Trying begins when somebody pauses. */
const PAUSE_MS = 400;

/** What is edited of a schedule, what saving it would do, and saving it only if nobody else has changed it. */
export function useEditedDraft(schedule: Schedule, etag: string | null) {
  const queries = useQueryClient();
  /** The drafts so far; none while nothing is edited. */
  const [drafts, setDrafts] = useState<readonly Draft[]>([]);
  const [editedFrom, setEditedFrom] = useState(etag);
  const draft = drafts.at(-1) ?? draftOf(schedule);
  const isEdited = drafts.length > 0;
  const [paused, setPaused] = useState<Draft | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(drafts.at(-1) ?? null), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [drafts]);
  const tried = useQuery({ ...tryQuery(schedule.id, paused ?? draft), enabled: paused !== null });
  const save = useMutation({
    mutationFn: () =>
      placard.schedules.update(schedule.id, bodyOf(draft), {
        ...(editedFrom !== null && { ifMatch: editedFrom }),
      }),
    onSuccess: () => setDrafts([]),
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
    tried: isCurrent ? tried.data : undefined,
    error: save.error ?? (isCurrent ? tried.error : null),
    isConflict: save.error instanceof PlacardError && save.error.status === 412,
    isSaving: save.isPending,
    edit: (changed: Partial<Draft>) => {
      if (!isEdited) {
        setEditedFrom(etag);
      }
      save.reset();
      setDrafts([...drafts, { ...draft, ...changed }]);
    },
    undo: () => setDrafts(drafts.slice(0, -1)),
    discard: () => {
      save.reset();
      setDrafts([]);
    },
    save: () => save.mutate(),
    /** Goes on from what the schedule is now. */
    keepMine: () => {
      setEditedFrom(etag);
      save.reset();
    },
  };
}
