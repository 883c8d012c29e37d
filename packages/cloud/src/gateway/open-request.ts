import type { DeviceTaskName } from '@placard/protocol';
import { ApiError } from '../domain/api-error.ts';
import { isAwaited } from '../domain/command-lifecycle.ts';
import type { DeviceWithLive } from '../database/devices.ts';
import type { Repositories } from '../database/cloud-database.ts';
import { requirePairedDevice } from './paired-device.ts';

/** Throws unless somebody has asked the device for it: a device must not fill the storage of its own accord. */
export async function requireOpenRequest(
  repositories: Repositories,
  {
    deviceId,
    task,
    commandId,
    nowMs,
  }: { deviceId: string | null; task: DeviceTaskName; commandId: string; nowMs: number },
): Promise<DeviceWithLive> {
  const device = await requirePairedDevice(repositories, deviceId);
  const command = await repositories.commands.find(commandId);
  const isOpen = command?.device_id === device.id && command.command === task && isAwaited(command, nowMs);
  if (!isOpen) {
    throw new ApiError('COMMAND_NOT_FOUND', 'Nobody waits for this of the device.');
  }
  return device;
}
