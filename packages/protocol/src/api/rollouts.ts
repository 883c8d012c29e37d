import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deviceFilters } from './devices.ts';
import { deletionResult, idParams, name } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';
import { kindParts, rolloutCause, rolloutMeasure } from './rollout-cause.ts';

const { store_id, tag, search, country, region, city } = deviceFilters;
const rolloutFilter = z.strictObject({ store_id, tag, search, country, region, city }).meta({
  id: 'RolloutFilter',
  description: 'The devices that are updated, as in the list of devices; all without a field',
});
export type RolloutFilter = z.infer<typeof rolloutFilter>;

const MAX_RINGS = 10;
const DEFAULT_RINGS = [1, 10, 100];
const rings = z
  .array(z.number().min(0.1).max(100))
  .min(1)
  .max(MAX_RINGS)
  .refine((list) => list.every((percent, index) => percent > (list[index - 1] ?? 0)), 'must be ascending')
  .refine((list) => list.at(-1) === 100, 'must end with 100')
  .meta({
    description:
      'Percent of the devices that have the version with each ring; the last, 100, has nothing to be compared with. A ring has one device more than the one ' +
      'before it at least',
    example: DEFAULT_RINGS,
  });
/** A week has all days, and enough of them: see ADR 0053. */
const DEFAULT_HOLD_HOURS = 168;
const holdHours = z
  .int()
  .min(1)
  .max(720)
  .meta({
    description:
      'How long the devices of a ring are compared before the next one begins. The longer, the smaller a regression that is found: see ' +
      '`docs/operations.md`',
  });
const playerVersion = z
  .string()
  .max(50)
  .regex(/^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/, 'must be like 1.4.0')
  .meta({ description: 'The version that the devices are to have, as in the feed', example: '1.4.0' });

const rolloutStatus = z.enum(['selecting', 'running', 'held', 'stopped', 'finished']);
export type RolloutStatus = z.infer<typeof rolloutStatus>;
const counted = z.int().min(0);
const ringCounts = z.object({
  percent: z.number(),
  /** Devices in this ring and in none before, without those that were removed. */
  chosen: counted,
  waiting: counted.meta({ description: 'Not told yet' }),
  told: counted.meta({ description: 'Told, and nothing came of it yet' }),
  updated: counted,
  failed: counted,
});

export const rollout = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    version: z.string(),
    filter: rolloutFilter,
    hold_hours: z.int(),
    status: rolloutStatus.meta({
      description:
        '`selecting` while the devices are put into their order, then `running`. `held`: too few devices of the ring run the version, and a ' +
        'person has to continue or stop it. `stopped`: by a person, or because devices became worse. `finished`: all were told',
    }),
    reason: z.string().nullable().meta({ description: 'Why it is held or was stopped, in a sentence' }),
    cause: rolloutCause.nullable().meta({ description: 'The same for programs' }),
    ring: counted.meta({ description: 'The current ring: 1 is the first; 0 while devices are selected' }),
    ring_started_at: timestamp.nullable(),
    rings: z.array(ringCounts),
    fleet: counted.meta({
      description: 'Devices that it reaches. Those that have the version, or a newer one, are left out',
    }),
    self_updating: counted.meta({
      description:
        'Devices of it whose players are too old to wait for their turn: they also update of their own accord, when their feed offers ' +
        'the version to them',
    }),
    holds_updates: z.boolean().meta({
      description:
        'True: no device of the organization updates of its own accord. The newest rollout holds them until it has finished for all devices. One ' +
        'that was stopped, or has a filter, holds them until it is deleted or one for all has finished. One that has finished without having ' +
        'updated a device changes nothing',
    }),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Rollout' });
export type Rollout = z.infer<typeof rollout>;

const rolloutDeviceStatus = z.enum(['waiting', 'told', 'updated', 'failed', 'removed']);
export type RolloutDeviceStatus = z.infer<typeof rolloutDeviceStatus>;
const rolloutDevice = z
  .object({
    device_id: z.string(),
    device_name: z.string().nullable(),
    /** Counted from 1. */
    ring: z.int(),
    kind: z.string().meta({ description: 'Board and shell: devices are compared with others of their kind' }),
    ...kindParts,
    status: rolloutDeviceStatus,
    code: z
      .string()
      .nullable()
      .meta({
        description:
          'Why it failed: `rolled_back`, `not_offered` (the feed of the device does not have the version for it), `blocked` (the feed has ' +
          'withdrawn it, or it has failed on this device before), `expired`, `other_version`, or a code of UPDATE_CHECK',
      }),
    command_id: z.string().nullable(),
    told_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'RolloutDevice' });
export type RolloutDevice = z.infer<typeof rolloutDevice>;

const measured = z.object({
  measure: rolloutMeasure,
  before: z.number(),
  after: z.number(),
  others_before: z.number(),
  others_after: z.number(),
});
const rolloutComparison = z
  .object({
    ring: counted,
    since: timestamp
      .nullable()
      .meta({ description: 'Since when the devices of the ring are compared; null: they are not yet' }),
    kinds: z.array(
      z.object({
        kind: z.string().meta({
          description: 'Board and shell; `rare boards`: all of which there are few',
        }),
        ...kindParts,
        updated: counted.meta({ description: 'Updated devices that are compared' }),
        others: counted.meta({ description: 'Devices whose turn has not come, that they are compared with' }),
        measures: z
          .array(measured)
          .meta({ description: 'Without those that too few devices of the kind have reported enough of' }),
      }),
    ),
  })
  .meta({ id: 'RolloutComparison' });
export type RolloutComparison = z.infer<typeof rolloutComparison>;

const define = operationsOf('Rollouts');
export const exampleRollout = {
  id: 'rollout_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Autumn',
  version: '1.4.0',
  filter: {},
  hold_hours: DEFAULT_HOLD_HOURS,
  status: 'running',
  reason: null,
  cause: null,
  ring: 1,
  ring_started_at: '2026-11-20T08:01:00.000Z',
  rings: [
    { percent: 1, chosen: 20, waiting: 0, told: 2, updated: 17, failed: 1 },
    { percent: 10, chosen: 180, waiting: 180, told: 0, updated: 0, failed: 0 },
    { percent: 100, chosen: 1800, waiting: 1800, told: 0, updated: 0, failed: 0 },
  ],
  fleet: 2000,
  self_updating: 0,
  holds_updates: true,
  created_at: '2026-11-20T08:00:00.000Z',
  finished_at: null,
};
export const exampleNewRollout = {
  ...exampleRollout,
  status: 'selecting',
  ring: 0,
  ring_started_at: null,
  rings: exampleRollout.rings.map(({ percent }) => ({
    percent,
    chosen: 0,
    waiting: 0,
    told: 0,
    updated: 0,
    failed: 0,
  })),
  fleet: 0,
};
export const exampleStoppedRollout = {
  ...exampleRollout,
  status: 'stopped',
  reason: 'Stopped by Ada.',
  cause: { type: 'stopped_by_hand', name: 'Ada' },
  finished_at: '2026-11-20T16:00:00.000Z',
};

export const rolloutOperations = {
  createRollout: define('createRollout', 'POST', '/v1/rollouts', {
    summary: 'Give a new version of the player to more and more devices',
    description:
      'The devices of each ring are told `UPDATE_CHECK`, 0.1 % of all a minute (at least one), at any hour. Chance decides which are in which ring; ' +
      'each kind (board and shell) has its share. At intervals those that were updated are compared, before and after, with those whose ' +
      'turn has not come: restarts, faults, dropped frames, time of a start, and whether they come back. What is worse stops the rollout, ' +
      'with the reason in `reason` and in the event `rollout.stopped`. Otherwise the next ring begins after `hold_hours`.\n\n' +
      'The feed must offer the version to all devices (`--rollout 100`), and no newer one. From now on no device of the organization, also ' +
      'those outside the filter, updates of its own accord (`holds_updates`), until a rollout for all devices has finished: one with a filter goes on ' +
      'holding the others. Players that are too old for that are counted in `self_updating`.\n\n' +
      'One rollout may be unfinished; more is 409 `CONFLICT` with `details.reason` `rollout_unfinished`.',
    access: 'Write',
    body: z.strictObject({
      version: playerVersion,
      name: name.nullable().default(null),
      filter: rolloutFilter.default({}),
      rings: rings.default(DEFAULT_RINGS),
      hold_hours: holdHours.default(DEFAULT_HOLD_HOURS),
    }),
    status: 202,
    data: rollout,
    errors: ['STORE_NOT_FOUND', 'CONFLICT'],
    example: {
      body: { version: '1.4.0', name: 'Autumn' },
      data: exampleNewRollout,
    },
  }),
  listRollouts: define('listRollouts', 'GET', '/v1/rollouts', {
    summary: 'List rollouts, newest first',
    access: 'Read',
    query: z.strictObject({ ...listPaging, status: rolloutStatus.optional() }).refine(...pageOrCursor),
    data: z.array(rollout),
    list: 'page or cursor',
    example: { data: [exampleRollout] },
  }),
  getRollout: define('getRollout', 'GET', '/v1/rollouts/{id}', {
    summary: 'One rollout, with how far each ring is',
    access: 'Read',
    params: idParams,
    otherStatuses: [304],
    data: rollout,
    errors: ['ROLLOUT_NOT_FOUND'],
    example: { data: exampleRollout },
  }),
  getRolloutComparison: define('getRolloutComparison', 'GET', '/v1/rollouts/{id}/comparison', {
    summary: 'What the devices of the current ring report with the version before and the new one',
    description:
      'Beside it, what the devices report whose turn has not come: `before` is until the ring began, `after` since the devices are compared. ' +
      'It goes on after the rollout was stopped; what it was stopped for is in its `cause`. The last ring is compared with nothing.',
    access: 'Read',
    params: idParams,
    data: rolloutComparison,
    errors: ['ROLLOUT_NOT_FOUND'],
    example: {
      data: {
        ring: 1,
        since: '2026-11-20T09:30:00.000Z',
        kinds: [
          {
            kind: 'Raspberry Pi 4 with chromium',
            model: 'Raspberry Pi 4',
            shell: 'chromium',
            updated: 12,
            others: 1170,
            measures: [
              { measure: 'restarts', before: 0.14, after: 0.1, others_before: 0.12, others_after: 0.11 },
              { measure: 'start_time', before: 5200, after: 5350, others_before: 5100, others_after: 5120 },
            ],
          },
        ],
      },
    },
  }),
  listRolloutDevices: define('listRolloutDevices', 'GET', '/v1/rollouts/{id}/devices', {
    summary: 'The devices of a rollout, in the order in which they are told',
    access: 'Read',
    params: idParams,
    query: z.strictObject({ ...listPaging, status: rolloutDeviceStatus.optional() }).refine(...pageOrCursor),
    data: z.array(rolloutDevice),
    list: 'page or cursor',
    errors: ['ROLLOUT_NOT_FOUND'],
    example: {
      data: [
        {
          device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
          device_name: 'Counter left',
          ring: 1,
          kind: 'Raspberry Pi 4 with chromium',
          model: 'Raspberry Pi 4',
          shell: 'chromium',
          status: 'updated',
          code: null,
          command_id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d',
          told_at: '2026-11-20T08:01:00.000Z',
          updated_at: '2026-11-20T08:05:00.000Z',
        },
      ],
    },
  }),
  stopRollout: define('stopRollout', 'POST', '/v1/rollouts/{id}/stop', {
    summary: 'Tell no further devices to update',
    description:
      'Commands that no device has received are withdrawn, and their devices are `waiting` again. What comes of the others is still shown. Devices that have the version keep it; no device updates of its own accord until the ' +
      'rollout is deleted or one for all devices has finished. One that has ended stays as it is.',
    access: 'Write',
    params: idParams,
    data: rollout,
    errors: ['ROLLOUT_NOT_FOUND'],
    example: { data: exampleStoppedRollout },
  }),
  continueRollout: define('continueRollout', 'POST', '/v1/rollouts/{id}/continue', {
    summary: 'Begin the next ring of a rollout that is held',
    description: 'One that is not held is 409 `CONFLICT` with `details.reason` `rollout_not_held`.',
    access: 'Write',
    params: idParams,
    data: rollout,
    errors: ['ROLLOUT_NOT_FOUND', 'CONFLICT'],
    example: { data: { ...exampleRollout, ring: 2 } },
  }),
  deleteRollout: define('deleteRollout', 'DELETE', '/v1/rollouts/{id}', {
    summary: 'Delete a rollout that has ended; devices update of their own accord again if it held them',
    description:
      'One that has not ended is 409 `CONFLICT` with `details.reason` `rollout_unfinished`: stop it first. The newest one is 409 with ' +
      '`rollout_stopped_before` while one before it (`details.rollout_id`) would hold updates: delete that one first.',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['PRECONDITION_FAILED', 'ROLLOUT_NOT_FOUND', 'CONFLICT'],
    example: { data: { id: exampleRollout.id, deleted: true } },
  }),
};
