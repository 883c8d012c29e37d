import { z } from 'zod';
import { commandName, orientation, timestamp } from '../primitives.ts';
import { deviceFilters, deviceRevision } from './devices.ts';
import { idParams, queryBoolean, reference, tags } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';
import { VIDEO_WARNING_TEXT, videoWarning } from './video-warnings.ts';

/** Devices that one operation may name. */
export const MAX_OPERATION_IDS = 10_000;
/** Operations that have not finished, per organization. */
export const MAX_UNFINISHED_OPERATIONS = 20;

const otherActions = [
  z.strictObject({ type: z.literal('add_tags'), tags: tags.min(1) }),
  z.strictObject({ type: z.literal('remove_tags'), tags: tags.min(1) }),
  z.strictObject({ type: z.literal('set_store'), store_id: reference.nullable() }),
  z.strictObject({ type: z.literal('set_orientation'), orientation }),
  z.strictObject({ type: z.literal('deploy'), playlist_id: reference }),
] as const;
const command = z.strictObject({
  type: z.literal('command'),
  command: commandName,
  /** Seconds after which a command expires that the device has not acknowledged. */
  expires_in: z.int().min(1).max(604_800),
});

/** What is done to each device. */
const bulkAction = z.discriminatedUnion('type', [command, ...otherActions]).meta({ id: 'BulkAction' });
export type BulkAction = z.infer<typeof bulkAction>;
const bulkActionInput = z
  .discriminatedUnion('type', [
    command.extend({ expires_in: command.shape.expires_in.default(600) }),
    ...otherActions,
  ])
  .meta({ id: 'BulkActionInput' });

const bulkFilter = z
  .strictObject({ ...deviceFilters, revision: deviceRevision.optional() })
  .meta({ id: 'BulkFilter' });
export type BulkFilter = z.infer<typeof bulkFilter>;

const operationStatus = z.enum(['selecting', 'running', 'finished', 'cancelled']);
export type OperationStatus = z.infer<typeof operationStatus>;

export const bulkOperation = z
  .object({
    id: z.string(),
    action: bulkAction,
    filter: bulkFilter.nullable().meta({ description: 'Null when the devices were named' }),
    status: operationStatus.meta({
      description:
        '`selecting` while the devices that the filter finds are collected, then `running`, then `finished`; or `cancelled`',
    }),
    /** Numbers of devices. `total` grows while they are selected. */
    total: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Operation' });
export type BulkOperation = z.infer<typeof bulkOperation>;

const newOperation = bulkOperation
  .extend({
    warnings: z.array(videoWarning).optional().meta({
      description:
        'Of a deployment; of the devices that are named, or that the filter finds now. Left out by clouds of earlier versions',
    }),
  })
  .meta({ id: 'NewOperation' });

const resultStatus = z.enum(['pending', 'succeeded', 'failed']);
const operationResult = z
  .object({
    device_id: z.string(),
    device_name: z.string().nullable(),
    status: resultStatus,
    /** As in the answer to a request about this device alone. */
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    /** The command that was sent, or the deployment that was made. */
    command_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'OperationResult' });
export type OperationResult = z.infer<typeof operationResult>;

const define = operationsOf('Operations');
export const exampleOperation = {
  id: 'op_01kzgm8q2c7d0vqk3m4a5b6c7d',
  action: { type: 'command', command: 'REFRESH', expires_in: 600 },
  filter: { tag: 'counter' },
  status: 'running',
  total: 2000,
  succeeded: 1400,
  failed: 1,
  created_at: '2026-11-20T08:00:00.000Z',
  finished_at: null,
};

export const bulkOperations = {
  createOperation: define('createOperation', 'POST', '/v1/operations', {
    summary: 'Do the same to many devices',
    description:
      'To the devices of `devices.filter`, whose fields are the filters of the list of devices (none: all of them), or to ' +
      `those named in \`devices.ids\`, at most ${MAX_OPERATION_IDS}. The answer comes at once; the work is done in the background, ` +
      'once per device, also when the cloud restarts meanwhile. What a device cannot do fails for that device alone. ' +
      'The devices of a filter are those that it finds when the operation begins.\n\n' +
      '`GET /v1/operations/{id}` tells how far it is, and its results have each device; the events `operation.progress` (once ' +
      'a second at most) and `operation.finished` do too. Each device is in the audit log like a change of it alone, and has ' +
      `the same events. At most ${MAX_UNFINISHED_OPERATIONS} operations may be unfinished; more is 409 \`CONFLICT\` with ` +
      '`details.reason` `too_many_operations`. Finished ones are kept for 7 days, and at most 1,000,000 results.\n\n' +
      `Of a deployment ${VIDEO_WARNING_TEXT} With \`dry_run=true\` nothing is stored, recorded or done: the answer, with ` +
      'status 200, has the warnings, and an id that no operation gets. Errors are the same.',
    access: 'Write',
    query: z.strictObject({
      dry_run: queryBoolean.optional().meta({ description: 'True: nothing is stored or done' }),
    }),
    otherStatuses: [200],
    body: z.strictObject({
      devices: z.union(
        [
          z.strictObject({ ids: z.array(reference).min(1).max(MAX_OPERATION_IDS) }),
          z.strictObject({ filter: bulkFilter }),
        ],
        'must have either ids or filter',
      ),
      action: bulkActionInput,
    }),
    status: 202,
    data: newOperation,
    errors: ['PLAYLIST_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: {
      body: {
        devices: { filter: { tag: 'counter' } },
        action: { type: 'command', command: 'REFRESH' },
      },
      data: { ...exampleOperation, status: 'selecting', total: 0, succeeded: 0, failed: 0, warnings: [] },
    },
  }),
  listOperations: define('listOperations', 'GET', '/v1/operations', {
    summary: 'List operations, newest first',
    access: 'Read',
    query: z.strictObject({ ...listPaging, status: operationStatus.optional() }).refine(...pageOrCursor),
    data: z.array(bulkOperation),
    list: 'page or cursor',
    example: { data: [exampleOperation] },
  }),
  getOperation: define('getOperation', 'GET', '/v1/operations/{id}', {
    summary: 'One operation, with how far it is',
    access: 'Read',
    params: idParams,
    otherStatuses: [304],
    data: bulkOperation,
    errors: ['OPERATION_NOT_FOUND'],
    example: { data: exampleOperation },
  }),
  listOperationResults: define('listOperationResults', 'GET', '/v1/operations/{id}/results', {
    summary: 'What came of it for each device, in the order in which they are done',
    access: 'Read',
    params: idParams,
    query: z.strictObject({ ...listPaging, status: resultStatus.optional() }).refine(...pageOrCursor),
    data: z.array(operationResult),
    list: 'page or cursor',
    errors: ['OPERATION_NOT_FOUND'],
    example: {
      data: [
        {
          device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
          device_name: 'Counter left',
          status: 'succeeded',
          error: null,
          command_id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d',
          deployment_id: null,
          finished_at: '2026-11-20T08:00:01.000Z',
        },
      ],
    },
  }),
  cancelOperation: define('cancelOperation', 'POST', '/v1/operations/{id}/cancel', {
    summary: 'Leave out the devices whose turn has not come',
    description: 'What was done stays as it is. An operation that has finished stays finished.',
    access: 'Write',
    params: idParams,
    data: bulkOperation,
    errors: ['OPERATION_NOT_FOUND'],
    example: {
      data: { ...exampleOperation, status: 'cancelled', finished_at: '2026-11-20T08:00:02.000Z' },
    },
  }),
};
