import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { isConflict } from '../ui/error-message.tsx';
import { bodyOf, draftOf } from './schedule-draft.ts';
import type { Draft, Schedule } from './schedule-draft.ts';
import { tryQuery } from './schedule-queries.ts';
import { addDays, instantOf } from '../i18n/wall-clock.ts';

/** Trying begins when somebody pauses. */
const PAUSE_MS = 400;

/**
 * The day from which on it is said what a draft changes: that of the week in view, or else where what is edited begins; null: from
 * now on.
 */
function firstTriedDay(
  { rules }: Draft,
  { updated_at: storedAt }: Schedule,
  weekStart: string,
  today: string,
) {
  if (weekStart > today) {
    return weekStart;
  }
  const starts = rules.flatMap(({ editedAt, starts_on: day }) =>
    editedAt === storedAt ? [] : [day ?? today],
  );
  const first = starts.toSorted()[0];
  return first !== undefined && first > addDays(today, 6) ? first : null;
}

/** What is edited of a schedule, what saving it would do, and saving it only if nobody else has changed it. */
export function useEditedDraft(
  schedule: Schedule,
  etag: string | null,
  { weekStart, today, timeZone }: { weekStart: string; today: string; timeZone: string },
) {
  const queries = useQueryClient();
  const editor = useEdited<Draft>(`schedule ${schedule.id}`, etag);
  const { edited } = editor;
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
  const triedDay = firstTriedDay(draft, schedule, weekStart, today);
  const from = triedDay === null ? undefined : (instantOf(`${triedDay}T00:00`, timeZone) ?? undefined);
  const tried = useQuery({ ...tryQuery(schedule.id, paused ?? draft, from), enabled: paused !== null });
  const save = useMutation({
    mutationFn: () =>
      placard.schedules.update(schedule.id, bodyOf(draft), {
        ...(editor.from !== null && { ifMatch: editor.from }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['schedules', 'one'] });
      giveUp();
    },
    onError: () => queries.invalidateQueries({ queryKey: ['schedules', 'one'] }),
    onSettled: () => {
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
    /** The first of the seven days that `tried` is about; null: from now on. */
    triedDay,
    error: save.error ?? (isCurrent ? tried.error : null),
    isConflict: isConflict(save.error),
    isSaving: save.isPending,
    /** There is nothing to take back of what was restored after a reload. */
    canUndo: before.length > 0,
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
