import { LIMITS } from '@placard/protocol';
import type { CommandName, DeviceTaskName, IdKind } from '@placard/protocol';
import { DEVICE_REQUEST_EXPIRES_IN_SECONDS } from '@placard/protocol/api';
import type { Command, DeviceRequest } from '@placard/protocol/api';
import type { Row } from '../database/schema.ts';
import type { Transaction } from '../database/cloud-database.ts';
import { ApiError } from '../domain/api-error.ts';
import { isAwaited, isFinished } from '../domain/command-lifecycle.ts';
import { toIso, toIsoOrNull } from '../domain/iso-time.ts';
import { presentCommand } from './present.ts';

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

/** Asks a device to send something, as a command that customers do not see; while it has not answered, nobody asks again. */
export async function requestOfDevice(
  tx: Transaction,
  {
    deviceId,
    task,
    nowMs,
    newId,
  }: Pick<NewCommand, 'deviceId' | 'nowMs' | 'newId'> & { task: DeviceTaskName },
): Promise<DeviceRequest> {
  const last = await tx.commands.findLastTask(deviceId, task);
  const row =
    last && isAwaited(last, nowMs)
      ? last
      : await insertCommand(tx, {
          deviceId,
          command: task,
          expires_in: DEVICE_REQUEST_EXPIRES_IN_SECONDS,
          nowMs,
          newId,
        });
  return presentDeviceRequest(row, nowMs);
}

/** A device that has begun, and does not finish, is late as well: what it sends would not be accepted. */
export function presentDeviceRequest(row: Row<'commands'>, nowMs: number): DeviceRequest {
  const result: { reason?: unknown } = row.result === null ? {} : JSON.parse(row.result);
  return {
    id: row.id,
    device_id: row.device_id,
    status: isAwaited(row, nowMs) || isFinished(row.status) ? row.status : 'expired',
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
    finished_at: toIsoOrNull(row.finished_at),
    problem: typeof result.reason === 'string' ? result.reason : null,
  };
}

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
