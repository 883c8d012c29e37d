import type { DayCode, Rule, Schedule, ScheduleSet } from '../src/index.ts';

/** A complete rule with the given fields. */
export function makeRule(fields: Partial<Rule> = {}): Rule {
  return {
    id: 'rule_1',
    playlist_id: 'pl_1',
    start_time: '09:00',
    end_time: '17:00',
    days: fields.rrule === undefined || fields.rrule === null ? EVERY_DAY : null,
    rrule: null,
    priority: 0,
    starts_on: null,
    ends_on: null,
    created_at: '2020-01-01T00:00:00.000Z',
    updated_at: '2020-01-01T00:00:00.000Z',
    ...fields,
  };
}

export const EVERY_DAY: readonly DayCode[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

export function makeSchedule(rules: readonly Rule[], fields: Partial<Schedule> = {}): Schedule {
  return { id: 'sch_1', name: 'Shop', targets: [{ type: 'tag', value: 'shop' }], rules, ...fields };
}

export function makeSet(timezone: string, ...rules: Rule[]): ScheduleSet {
  return { timezone, schedules: [makeSchedule(rules)] };
}

/** The device of a manifest: every target matches. */
export const MANIFEST_DEVICE = { matches: 'all', base_playlist_id: 'pl_base' } as const;
