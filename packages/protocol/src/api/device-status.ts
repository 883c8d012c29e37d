import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { idParams, meta, paging, queryInstant, queryScheduleInstant } from './fields.ts';
import { operationsOf } from './operation.ts';
import { rule } from './schedules.ts';

/** One measure over a bucket; null when the sensor is missing. */
const bucketMeasure = z.object({ avg: z.number(), min: z.number(), max: z.number() }).nullable();
const bucketInterval = z.enum(['minute', 'hour', 'day']);

const heartbeatBucket = z
  .object({
    /** Start of the bucket, aligned to UTC. */
    timestamp,
    samples: z.int(),
    cpu_percent: bucketMeasure,
    memory_percent: bucketMeasure,
    disk_percent: bucketMeasure,
    temperature_celsius: bucketMeasure,
    wifi_signal_dbm: bucketMeasure,
  })
  .meta({ id: 'HeartbeatBucket' });
export type HeartbeatBucket = z.infer<typeof heartbeatBucket>;

const activeSchedule = z
  .object({
    at: timestamp,
    timezone: z.string(),
    local_timezone: z.string().nullable().meta({
      description:
        'Zone of the store, in which rules with `local_time` are read; null: it has none, see `warnings`',
    }),
    source: z.enum(['schedule', 'deployment', 'none']),
    schedule: z.object({ id: z.string(), name: z.string() }).nullable(),
    rule: rule.nullable(),
    playlist: z.object({ id: z.string(), name: z.string() }).nullable(),
    /** When this result next changes; null when it does not within a year. */
    until: timestamp.nullable(),
    reason: z
      .string()
      .meta({ description: 'What is shown and why, also when the playlist has nothing to show' }),
    candidates: z.array(
      z.object({
        schedule_id: z.string(),
        schedule_name: z.string(),
        rule_id: z.string(),
        playlist: z.object({ id: z.string(), name: z.string() }).nullable(),
        priority: z.int(),
        matches: z.boolean(),
        wins: z.boolean(),
        reason: z.string(),
      }),
    ),
    candidates_meta: meta.meta({ description: 'Paging of `candidates`' }),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: 'ActiveSchedule' });

const define = operationsOf('Devices');
const exampleMeasure = { avg: 12.5, min: 8, max: 31 };

/** What a device measured, and what it shows. */
export const deviceStatusOperations = {
  listHeartbeats: define('listHeartbeats', 'GET', '/v1/devices/{id}/heartbeats', {
    summary: 'Samples over time',
    description:
      'Buckets are aligned to UTC, empty ones are left out. A measure is null when the sensor is missing. ' +
      'Minutes are kept for 7 days, hours for 90 days, days for 2 years, also after the device was deleted.',
    access: 'Read',
    params: idParams,
    query: z.strictObject({
      from: queryInstant.optional(),
      to: queryInstant.optional(),
      interval: bucketInterval.default('hour'),
    }),
    data: z.array(heartbeatBucket),
    errors: ['DEVICE_NOT_FOUND'],
    example: {
      data: [
        {
          timestamp: '2026-11-20T08:00:00.000Z',
          samples: 60,
          cpu_percent: exampleMeasure,
          memory_percent: exampleMeasure,
          disk_percent: exampleMeasure,
          temperature_celsius: null,
          wifi_signal_dbm: { avg: -54, min: -60, max: -50 },
        },
      ],
    },
  }),
  getActiveSchedule: define('getActiveSchedule', 'GET', '/v1/devices/{id}/active-schedule', {
    summary: 'What the device shows at an instant, and why',
    description:
      'Every rule is a candidate, also those of inactive schedules and of other devices: those that target the ' +
      'device come first, the winner on top. `page` and `limit` apply to the candidates. `at` defaults to now and must ' +
      'lie in the years 1970 to 2200; otherwise it is 400.',
    access: 'Read',
    params: idParams,
    query: z.strictObject({ at: queryScheduleInstant.optional(), ...paging }),
    data: activeSchedule,
    errors: ['DEVICE_NOT_FOUND'],
    example: {
      data: {
        at: '2026-11-20T08:00:00.000Z',
        timezone: 'Europe/Berlin',
        local_timezone: null,
        source: 'deployment',
        schedule: null,
        rule: null,
        playlist: { id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Morning' },
        until: null,
        reason: 'No rule is active: the deployed playlist “Morning” is shown.',
        candidates: [
          {
            schedule_id: 'sch_01kzgm8q2c7d0vqk3m4a5b6c7d',
            schedule_name: 'Breakfast',
            rule_id: 'rule_01kzgm8q2c7d0vqk3m4a5b6c7d',
            playlist: { id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Morning' },
            priority: 10,
            matches: false,
            wins: false,
            reason: 'Switched off: its schedule is not active.',
          },
        ],
        candidates_meta: { page: 1, limit: 20, total: 1 },
        warnings: [],
      },
    },
  }),
};
