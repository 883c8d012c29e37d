import { LIMITS } from '@placard/protocol';
import type { CommandName, DeviceTaskName, IdKind } from '@placard/protocol';
import type { Command } from '@placard/protocol/api';
import type { Row } from '../../database/schema.ts';
import type { Transaction } from '../../database/cloud-database.ts';
import { ApiError } from '../../domain/api-error.ts';
import { toIso } from '../../domain/iso-time.ts';
import { presentCommand } from '../../http-server/present.ts';

/** Throws when the device has too many unfinished commands. */
export async function requireFewOpenCommands(
  tx: Transaction,
  deviceId: string,
  nowMs: number,
): Promise<void> {
  if ((await tx.commands.countOpen(deviceId, nowMs)) >= LIMITS.openCommands) {
    throw new ApiError(
      'CONFLICT',
      `The device has ${LIMITS.openCommands} unfinished commands; wait until some finish or expire.`,
      { details: { reason: 'too_many_commands', limit: LIMITS.openCommands } },
    );
  }
}

export interface NewCommand<Name = CommandName> {
  deviceId: string;
  command: Name;
  /** Seconds. */
  expires_in: number;
  nowMs: number;
  newId: (kind: IdKind) => string;
}

/** Creates a command, which is sent to the device after the commit. */
export async function createCommand(tx: Transaction, command: NewCommand): Promise<Command> {
  const data = presentCommand(await insertCommand(tx, command));
  tx.recordEvent({ type: 'command.created', resource: command.deviceId, data: { command: data } });
  return data;
}

/** Gives a device a task of the cloud itself, as a command that customers do not see. */
export const createTask = (tx: Transaction, task: NewCommand<DeviceTaskName>): Promise<Row<'commands'>> =>
  insertCommand(tx, task);

async function insertCommand<Name extends CommandName | DeviceTaskName>(
  tx: Transaction,
  { deviceId, command, expires_in, nowMs, newId }: NewCommand<Name>,
) {
  const row = {
    id: newId('command'),
    device_id: deviceId,
    command,
    status: 'queued' as const,
    created_at: nowMs,
    expires_at: nowMs + expires_in * 1000,
    delivered_at: null,
    acknowledged_at: null,
    finished_at: null,
    result: null,
  };
  await tx.commands.insert(row);
  tx.publishOnCommit({
    type: 'command',
    deviceId,
    command: { id: row.id, command, expires_at: toIso(row.expires_at) },
  });
  return row;
}
