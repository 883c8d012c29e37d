import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deviceStatus } from './devices.ts';
import { paging, queryInstant, queryInteger, reference } from './fields.ts';
import { operationsOf } from './operation.ts';

const timeRange = { from: queryInstant.optional(), to: queryInstant.optional() };
const filters = {
  device_id: reference.optional(),
  content_id: reference.optional(),
  playlist_id: reference.optional(),
};

const playCounts = {
  plays: z.int(),
  /** Whole seconds on screen. */
  play_seconds: z.int(),
  completed: z.int(),
  interrupted: z.int(),
  failed: z.int(),
};

const analyticsOverview = z
  .object({
    from: timestamp,
    to: timestamp,
    devices: z.int(),
    /** Devices online now. */
    online: z.int(),
    /** Share of the observed time that devices were online; null when nothing was observed. */
    uptime_percent: z.number().nullable(),
    /** Time since each device was paired, counting only while this service was running. */
    observed_seconds: z.int(),
    online_seconds: z.int(),
    ...playCounts,
  })
  .meta({ id: 'AnalyticsOverview' });

const playGroup = z.enum(['content', 'playlist', 'device', 'store', 'hour', 'day']);
export type PlayGroup = z.infer<typeof playGroup>;

const playRow = z
  .object({
    /** Id of the group's resource, or the start of the hour or day; null for plays without one. */
    key: z.string().nullable(),
    /** Null when the resource was deleted. */
    name: z.string().nullable(),
    ...playCounts,
  })
  .meta({ id: 'PlayCounts' });

const uptimeRow = z
  .object({
    device_id: z.string(),
    name: z.string(),
    status: deviceStatus,
    uptime_percent: z.number().nullable(),
    observed_seconds: z.int(),
    online_seconds: z.int(),
  })
  .meta({ id: 'DeviceUptime' });

/** Columns of the CSV export, in order. */
export const PLAY_COLUMNS = [
  'id',
  'device_id',
  'content_id',
  'playlist_id',
  'schedule_id',
  'rule_id',
  'started_at',
  'ended_at',
  'duration_ms',
  'outcome',
  'reason',
] as const;

const define = operationsOf('Analytics');
const exampleCounts = { plays: 1200, play_seconds: 12_000, completed: 1190, interrupted: 8, failed: 2 };
const exampleUptime = { uptime_percent: 99.93, observed_seconds: 604_800, online_seconds: 604_377 };

export const analyticsOperations = {
  getAnalytics: define('getAnalytics', 'GET', '/v1/analytics', {
    summary: 'Overview of devices, uptime and plays',
    description: '`from` defaults to 7 days ago, `to` to now.',
    access: 'Read',
    query: z.strictObject(timeRange),
    data: analyticsOverview,
    example: {
      data: {
        from: '2026-11-13T08:00:00.000Z',
        to: '2026-11-20T08:00:00.000Z',
        devices: 1,
        online: 1,
        ...exampleUptime,
        ...exampleCounts,
      },
    },
  }),
  getPlays: define('getPlays', 'GET', '/v1/analytics/plays', {
    summary: 'Plays counted by content, playlist, device, store, hour or day',
    description:
      'Hours and days are sorted by time, other groups by plays, most first. Each existing resource has a row; of deleted ' +
      'or unknown resources at most 10,000 have one, and the others share the row whose key is null. ' +
      'Grouping by hour or day over more than 10,000 hours or days is 400.',
    access: 'Read',
    query: z.strictObject({
      ...timeRange,
      ...filters,
      group_by: playGroup.default('content'),
      page: paging.page,
      limit: queryInteger(1, 10_000).default(10_000),
    }),
    list: 'page',
    data: z.array(playRow),
    example: {
      data: [{ key: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Breakfast menu', ...exampleCounts }],
    },
  }),
  exportPlays: define('exportPlays', 'GET', '/v1/analytics/plays.csv', {
    summary: 'Every play as CSV, oldest first',
    access: 'Read',
    query: z.strictObject({ ...timeRange, ...filters }),
    data: z.string(),
    produces: 'text/csv',
    example: { data: `${PLAY_COLUMNS.join(',')}\r\n` },
  }),
  getUptime: define('getUptime', 'GET', '/v1/analytics/uptime', {
    summary: 'Uptime of each device over its observed time, lowest first',
    access: 'Read',
    query: z.strictObject(timeRange),
    data: z.array(uptimeRow),
    example: {
      data: [
        {
          device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
          name: 'Counter left',
          status: 'online',
          ...exampleUptime,
        },
      ],
    },
  }),
};
