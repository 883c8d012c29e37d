import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { manifestRule } from '../player/manifest.ts';
import { calendarDate, dayCode } from '../primitives.ts';
import {
  endTime,
  exampleTimestamps,
  idParams,
  name,
  queryBoolean,
  reference,
  runOnAnyObject,
  search,
  startTime,
  target,
  timestamps,
} from './fields.ts';
import { DRY_RUN_TEXT, dryRunQuery, triedDeletion, withDryRun } from './dry-run.ts';
import { listPaging, pageOrCursor, sortBy } from './lists.ts';
import { operationsOf } from './operation.ts';
import { VIDEO_WARNING_TEXT, videoConcernFields, videoWarningCode } from './video-warnings.ts';

const endDayOffset = z.int().min(0).max(6);

export const rule = manifestRule
  .omit({ created_at: true, updated_at: true })
  .extend({
    end_day_offset: endDayOffset,
    except_dates: z.array(calendarDate),
    local_time: z.boolean(),
  })
  .meta({ id: 'Rule' });
export type Rule = z.infer<typeof rule>;

const ruleInput = z
  .strictObject({
    /** A rule that is sent with its id keeps it. */
    id: reference.optional(),
    playlist_id: reference,
    start_time: startTime,
    end_time: endTime,
    days: z.array(dayCode).min(1).max(7).nullish(),
    rrule: z.string().trim().min(1).max(2000).nullish(),
    priority: z.int().min(0).max(1000).default(0),
    starts_on: calendarDate.nullish(),
    ends_on: calendarDate.nullish(),
    end_day_offset: endDayOffset
      .default(0)
      .meta({ description: 'The window ends at `end_time` that many days after the day on which it opens' }),
    except_dates: z
      .array(calendarDate)
      .max(LIMITS.exceptDatesPerRule)
      .default([])
      .meta({ description: 'Days on which no window opens' }),
    local_time: z.boolean().default(false).meta({
      description:
        'Times and dates are read in the time zone of the device’s store instead of that of the organization',
    }),
  })
  .superRefine((input, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const hasDays = input.days !== null && input.days !== undefined;
    const hasRrule = input.rrule !== null && input.rrule !== undefined;
    if (hasDays && hasRrule) {
      issue('rrule', 'must not be given together with days');
    }
    if (!hasDays && !hasRrule) {
      issue('days', 'is required unless rrule is given');
    }
    const [from, until] = [input.starts_on, input.ends_on].map((on) => calendarDate.safeParse(on).data);
    if (from !== undefined && until !== undefined && until < from) {
      issue('ends_on', 'must not be before starts_on');
    }
  }, runOnAnyObject)
  .meta({ id: 'RuleInput' });
export type RuleInput = z.infer<typeof ruleInput>;

const scheduleSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    is_active: z.boolean(),
    rule_count: z.int(),
    targets: z.array(target),
    ...timestamps,
  })
  .meta({ id: 'ScheduleSummary' });
export type ScheduleSummary = z.infer<typeof scheduleSummary>;

export const schedule = scheduleSummary.extend({ rules: z.array(rule) }).meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof schedule>;

/** Accepted input that may not have the intended effect. */
export const warning = z
  .object({
    path: z.string(),
    message: z.string(),
    code: videoWarningCode.optional().meta({ description: 'Of a warning about videos' }),
    ...videoConcernFields,
  })
  .meta({ id: 'Warning' });
export type ScheduleWarning = z.infer<typeof warning>;
const scheduleWithWarnings = withDryRun(schedule.extend({ warnings: z.array(warning) })).meta({
  id: 'ScheduleWithWarnings',
});
const changedSchedule = withDryRun(schedule).meta({ id: 'ChangedSchedule' });

const rules = z.array(ruleInput).max(LIMITS.rulesPerSchedule);
const targets = z.array(target).max(LIMITS.targetsPerSchedule);

const SCHEDULE_LIMITS =
  `At most ${LIMITS.rulesPerSchedule} rules and ${LIMITS.targetsPerSchedule} targets per schedule; ` +
  `${LIMITS.schedules} schedules with ${LIMITS.rules} rules and ${LIMITS.targets} targets per organization; ` +
  `31 values in a list of an \`rrule\`, ${LIMITS.exceptDatesPerRule} \`except_dates\` per rule. ` +
  'Rules begin (`starts_on`, `DTSTART`) in the years 1970 to 2200. ' +
  'More is 400. Of the rules that target a device, the first 500 in precedence are evaluated. A time of `DTSTART` or ' +
  '`EXDATE` and a `TZID` have no effect and are reported in `warnings`.';

const SCHEDULE_MEANING =
  'Of the rules that are active on a device the one with the highest `priority` wins, then the one with the narrowest ' +
  'target (device, tag, store, all), then the one changed last. `end_day_offset` 2 with `days` FRI, 18:00 to 23:00, is a ' +
  'window from Friday to Sunday. On `except_dates` no window opens; EXDATE lines in `rrule` are the same. With ' +
  '`local_time` a rule is read in the time zone of the store that the device is in; without one, in that of the ' +
  'organization. `warnings` names rules that never win, never occur or lack such a zone, and parts without effect. ' +
  `${VIDEO_WARNING_TEXT} `;

const define = operationsOf('Schedules');
const exampleSummary = {
  id: 'sch_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Breakfast',
  is_active: true,
  rule_count: 1,
  targets: [{ type: 'tag', value: 'counter' }],
  ...exampleTimestamps,
};
export const exampleSchedule = {
  ...exampleSummary,
  rules: [
    {
      id: 'rule_01kzgm8q2c7d0vqk3m4a5b6c7d',
      playlist_id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d',
      start_time: '06:00',
      end_time: '10:30',
      days: ['MON', 'TUE', 'WED', 'THU', 'FRI'],
      rrule: null,
      priority: 10,
      starts_on: null,
      ends_on: null,
      end_day_offset: 0,
      except_dates: ['2026-12-25'],
      local_time: false,
    },
  ],
};
const exampleBody = {
  name: 'Breakfast',
  is_active: true,
  rules: [
    {
      playlist_id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d',
      start_time: '06:00',
      end_time: '10:30',
      days: ['MON', 'TUE', 'WED', 'THU', 'FRI'],
      priority: 10,
      except_dates: ['2026-12-25'],
    },
  ],
  targets: [{ type: 'tag', value: 'counter' }],
};

export const scheduleOperations = {
  listSchedules: define('listSchedules', 'GET', '/v1/schedules', {
    summary: 'List schedules, newest first',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        sort: sortBy('name', 'created_at', 'updated_at').optional(),
        search: search.optional(),
        is_active: queryBoolean.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(scheduleSummary),
    list: 'page or cursor',
    example: { data: [exampleSummary] },
  }),
  createSchedule: define('createSchedule', 'POST', '/v1/schedules', {
    summary: 'Create a schedule',
    description: `${SCHEDULE_MEANING}${SCHEDULE_LIMITS} ${DRY_RUN_TEXT}`,
    access: 'Write',
    query: dryRunQuery,
    otherStatuses: [200],
    body: z.strictObject({
      name,
      is_active: z.boolean().default(true),
      rules: rules.default([]),
      targets: targets.default([]),
    }),
    status: 201,
    data: scheduleWithWarnings,
    errors: ['PLAYLIST_NOT_FOUND', 'DEVICE_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: { body: exampleBody, data: { ...exampleSchedule, warnings: [] } },
  }),
  getSchedule: define('getSchedule', 'GET', '/v1/schedules/{id}', {
    otherStatuses: [304],
    summary: 'One schedule with its rules',
    access: 'Read',
    params: idParams,
    data: schedule,
    errors: ['SCHEDULE_NOT_FOUND'],
    example: { data: exampleSchedule },
  }),
  updateSchedule: define('updateSchedule', 'PATCH', '/v1/schedules/{id}', {
    summary: 'Change a schedule; rules and targets are replaced as a whole',
    description: `${SCHEDULE_MEANING}${SCHEDULE_LIMITS} ${DRY_RUN_TEXT}`,
    access: 'Write',
    params: idParams,
    query: dryRunQuery,
    body: z.strictObject({
      name: name.optional(),
      is_active: z.boolean().optional(),
      rules: rules.optional(),
      targets: targets.optional(),
    }),
    data: scheduleWithWarnings,
    errors: [
      'PRECONDITION_FAILED',
      'SCHEDULE_NOT_FOUND',
      'PLAYLIST_NOT_FOUND',
      'DEVICE_NOT_FOUND',
      'STORE_NOT_FOUND',
    ],
    example: { body: { name: 'Breakfast' }, data: { ...exampleSchedule, warnings: [] } },
  }),
  activateSchedule: define('activateSchedule', 'POST', '/v1/schedules/{id}/activate', {
    summary: 'Activate',
    description: DRY_RUN_TEXT,
    access: 'Write',
    params: idParams,
    query: dryRunQuery,
    data: changedSchedule,
    errors: ['SCHEDULE_NOT_FOUND'],
    example: { data: exampleSchedule },
  }),
  deactivateSchedule: define('deactivateSchedule', 'POST', '/v1/schedules/{id}/deactivate', {
    summary: 'Deactivate',
    description: DRY_RUN_TEXT,
    access: 'Write',
    params: idParams,
    query: dryRunQuery,
    data: changedSchedule,
    errors: ['SCHEDULE_NOT_FOUND'],
    example: { data: { ...exampleSchedule, is_active: false } },
  }),
  deleteSchedule: define('deleteSchedule', 'DELETE', '/v1/schedules/{id}', {
    summary: 'Delete a schedule',
    description: DRY_RUN_TEXT,
    access: 'Admin',
    params: idParams,
    query: dryRunQuery,
    data: triedDeletion,
    errors: ['PRECONDITION_FAILED', 'SCHEDULE_NOT_FOUND'],
    example: { data: { id: exampleSummary.id, deleted: true } },
  }),
};
