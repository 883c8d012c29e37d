import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
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
  const editor = useEditor({
    kind: 'schedule',
    id: schedule.id,
    etag,
    stored: draftOf(schedule),
    valuesOf: draftOf,
    save: (values, condition) =>
      placard.request('PATCH /v1/schedules/{id}', {
        path: { id: schedule.id },
        body: bodyOf(values),
        ...condition,
      }),
    readAgain: async () => {
      void queries.invalidateQueries({ queryKey: ['schedules', 'list'] });
      void queries.invalidateQueries({ queryKey: ['timeline'] });
      await queries.invalidateQueries({ queryKey: ['schedules', 'one'] });
    },
  });
  const { edited, values: draft } = editor;
  /** The drafts before the current one; null is the schedule as it is. */
  const [before, setBefore] = useState<readonly (Draft | null)[]>([]);
  const [paused, setPaused] = useState<Draft | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(edited), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [edited]);
  const triedDay = firstTriedDay(draft, schedule, weekStart, today);
  const from = triedDay === null ? undefined : (instantOf(`${triedDay}T00:00`, timeZone) ?? undefined);
  const tried = useQuery({ ...tryQuery(schedule.id, paused ?? draft, from), enabled: paused !== null });
  const isCurrent = paused === draft;
  return {
    draft,
    isEdited: edited !== null,
    restoredAtMs: editor.restoredAtMs,
    tried: isCurrent ? tried.data : undefined,
    /** The first of the seven days that `tried` is about; null: from now on. */
    triedDay,
    error: editor.error ?? (isCurrent ? tried.error : null),
    hasConflict: editor.hasConflict,
    isSaving: editor.isSaving,
    /** There is nothing to take back of what was restored after a reload. */
    canUndo: before.length > 0,
    edit: (changed: Partial<Draft>) => {
      editor.clearError();
      setBefore([...before, edited]);
      editor.edit(changed);
    },
    undo: () => {
      const last = before.at(-1) ?? null;
      setBefore(before.slice(0, -1));
      if (last === null && !editor.isSaving) {
        editor.discard();
      } else {
        editor.edit(last ?? draftOf(schedule));
      }
    },
    discard: () => {
      setBefore([]);
      editor.discard();
    },
    save: () => editor.save(() => setBefore([])),
    /** Goes on from what the schedule is now. */
    keepMine: editor.keepMine,
  };
}
