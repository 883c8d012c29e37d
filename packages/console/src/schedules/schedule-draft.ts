import type { Body, Data } from '@placard/client';

export type Schedule = Data<'getSchedule'>;
export type Rule = Schedule['rules'][number];
export type Target = Schedule['targets'][number];

/** A rule as it is edited. */
export interface DraftRule extends Omit<Rule, 'id'> {
  /** Tells it from the others of the draft: its id, or a name of its own while it has none. */
  key: string;
  isNew: boolean;
  /** When it was edited last: of equal rules the one changed last wins. An ISO instant. */
  editedAt: string;
}

export interface Draft {
  name: string;
  is_active: boolean;
  targets: readonly Target[];
  rules: readonly DraftRule[];
}

export const draftOf = (schedule: Schedule): Draft => ({
  name: schedule.name,
  is_active: schedule.is_active,
  targets: schedule.targets,
  rules: schedule.rules.map(({ id, ...rule }) => ({
    ...rule,
    key: id,
    isNew: false,
    editedAt: schedule.updated_at,
  })),
});

function sentRule(rule: DraftRule): NonNullable<Body<'updateSchedule'>['rules']>[number] {
  const { key, isNew, editedAt: _editedAt, ...sent } = rule;
  return isNew ? sent : { ...sent, id: key };
}

/** What is sent to save a draft; rules that were stored keep their ids. */
export const bodyOf = (draft: Draft): Body<'updateSchedule'> => ({
  name: draft.name,
  is_active: draft.is_active,
  targets: [...draft.targets],
  rules: draft.rules.map(sentRule),
});

/** A rule of one hour on one day, to be changed. */
export const newRule = (playlistId: string, key: string, now: Date): DraftRule => ({
  key,
  isNew: true,
  editedAt: now.toISOString(),
  playlist_id: playlistId,
  start_time: '09:00',
  end_time: '10:00',
  days: ['MON'],
  rrule: null,
  priority: 0,
  starts_on: null,
  ends_on: null,
  end_day_offset: 0,
  except_dates: [],
  local_time: false,
});
