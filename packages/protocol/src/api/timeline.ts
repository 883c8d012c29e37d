import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deviceFilters } from './devices.ts';
import { idParams, queryScheduleInstant } from './fields.ts';
import { listPaging, pageOrCursor, sortBy } from './lists.ts';
import { operationsOf } from './operation.ts';
import { exampleSchedule, rule } from './schedules.ts';

/** Most segments of one response. */
export const MAX_SEGMENTS = 1000;
/** Most days of one timeline. */
export const MAX_TIMELINE_DAYS = 31;

const named = z.object({ id: z.string(), name: z.string() });

const localTimezone = z.string().nullable().meta({
  description:
    'Zone of the store, in which rules with `local_time` are read; null: it has none, and the zone of the organization applies',
});

/** What a screen shows at a time, and why. */
const shown = {
  source: z.enum(['schedule', 'deployment', 'none']),
  playlist: named.nullable(),
  schedule: named.nullable(),
  rule: rule.nullable(),
  reason: z
    .string()
    .meta({ description: 'What is shown and why, also when the playlist has nothing to show' }),
};

const timelineSegment = z
  .object({
    start: timestamp,
    end: timestamp.meta({ description: 'The first instant after it' }),
    ...shown,
  })
  .meta({ id: 'TimelineSegment' });

const timeline = z
  .object({
    device: named,
    timezone: z.string(),
    local_timezone: localTimezone,
    from: timestamp,
    to: timestamp,
    segments: z.array(timelineSegment),
    next_from: timestamp.nullable().meta({
      description: `Where to go on (\`from\`) when there are more than ${MAX_SEGMENTS} segments; null when these are all`,
    }),
  })
  .meta({ id: 'Timeline' });
export type Timeline = z.infer<typeof timeline>;

const deviceMoment = z
  .object({
    device: named,
    store: named.nullable(),
    at: timestamp,
    timezone: z.string().meta({ description: 'Zone of the organization' }),
    local_timezone: localTimezone,
    ...shown,
    until: timestamp.nullable().meta({ description: 'When this next changes; null when not within a year' }),
  })
  .meta({ id: 'DeviceMoment' });
export type DeviceMoment = z.infer<typeof deviceMoment>;

const define = operationsOf('Timeline');
const { id: scheduleId, name: scheduleName, rules } = exampleSchedule;
const exampleShown = {
  source: 'schedule',
  playlist: { id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Morning' },
  schedule: { id: scheduleId, name: scheduleName },
  rule: rules[0],
  reason: 'A rule of the schedule “Breakfast” is active and shows the playlist “Morning”.',
};
const exampleDeviceName = { id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Counter left' };

export const timelineOperations = {
  getTimeline: define('getTimeline', 'GET', '/v1/devices/{id}/timeline', {
    summary: 'What a device shows over time, and why',
    description:
      'The segments follow each other without gaps from `from` (default: now) until `to` (default: a day after `from`; at ' +
      `most ${MAX_TIMELINE_DAYS} days after it). Each is as long as one rule, or none, decides; it contains its \`start\` ` +
      'and not its `end`. They are what `active-schedule` says at each instant, if nothing is changed until then.',
    access: 'Read',
    params: idParams,
    query: z.strictObject({ from: queryScheduleInstant.optional(), to: queryScheduleInstant.optional() }),
    data: timeline,
    errors: ['DEVICE_NOT_FOUND'],
    example: {
      data: {
        device: exampleDeviceName,
        timezone: 'Europe/Berlin',
        local_timezone: null,
        from: '2026-11-20T05:00:00.000Z',
        to: '2026-11-20T10:00:00.000Z',
        segments: [
          { start: '2026-11-20T05:00:00.000Z', end: '2026-11-20T09:30:00.000Z', ...exampleShown },
          {
            start: '2026-11-20T09:30:00.000Z',
            end: '2026-11-20T10:00:00.000Z',
            source: 'none',
            playlist: null,
            schedule: null,
            rule: null,
            reason: 'No rule is active and no playlist is deployed: the idle screen is shown.',
          },
        ],
        next_from: null,
      },
    },
  }),
  listTimeline: define('listTimeline', 'GET', '/v1/timeline', {
    summary: 'What many devices show at an instant, and why',
    description:
      'The devices are those of `listDevices` with the same filters, newest first. `at` defaults to now; give it when you ' +
      'read several pages, so that all of them are of one instant.',
    access: 'Read',
    query: z
      .strictObject({
        at: queryScheduleInstant.optional(),
        ...listPaging,
        sort: sortBy('name', 'created_at', 'updated_at').optional(),
        ...deviceFilters,
      })
      .refine(...pageOrCursor),
    data: z.array(deviceMoment),
    list: 'page or cursor',
    example: {
      data: [
        {
          device: exampleDeviceName,
          store: { id: 'store_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Old town' },
          at: '2026-11-20T08:00:00.000Z',
          timezone: 'Europe/Berlin',
          local_timezone: 'Europe/Berlin',
          ...exampleShown,
          until: '2026-11-20T09:30:00.000Z',
        },
      ],
    },
  }),
};
