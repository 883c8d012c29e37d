import { z } from 'zod';
import { commandName, timestamp } from '../primitives.ts';
import { idParams, reference } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';

export const commandStatus = z.enum([
  'queued',
  'delivered',
  'acknowledged',
  'succeeded',
  'failed',
  'expired',
]);
export type CommandStatus = z.infer<typeof commandStatus>;

export const command = z
  .object({
    id: z.string(),
    device_id: z.string(),
    command: commandName,
    status: commandStatus,
    created_at: timestamp,
    expires_at: timestamp,
    delivered_at: timestamp.nullable(),
    acknowledged_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    /** What the device reported about the execution. */
    result: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Command' });
export type Command = z.infer<typeof command>;

const define = operationsOf('Commands');
export const exampleCommand = {
  id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d',
  device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
  command: 'REFRESH',
  status: 'queued',
  created_at: '2026-11-20T08:00:00.000Z',
  expires_at: '2026-11-20T08:10:00.000Z',
  delivered_at: null,
  acknowledged_at: null,
  finished_at: null,
  result: null,
};

export const commandOperations = {
  listCommands: define('listCommands', 'GET', '/v1/commands', {
    summary: 'List commands, newest first',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        device_id: reference.optional(),
        status: commandStatus.optional(),
        command: commandName.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(command),
    list: 'page or cursor',
    example: { data: [exampleCommand] },
  }),
  getCommand: define('getCommand', 'GET', '/v1/commands/{id}', {
    summary: 'One command',
    access: 'Read',
    params: idParams,
    otherStatuses: [304],
    data: command,
    errors: ['COMMAND_NOT_FOUND'],
    example: { data: exampleCommand },
  }),
};
