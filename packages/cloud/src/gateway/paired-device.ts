import { ApiError } from '../domain/api-error.ts';
import type { DeviceWithLive } from '../database/devices.ts';
import type { Repositories } from '../database/cloud-database.ts';

/** The error for a device that was removed while its request was processed. */
export const deviceUnpairedError = () =>
  new ApiError('DEVICE_UNPAIRED', 'This device was removed; pair it again.');

/** The id of the device that sent the request; null only where no device is authenticated. */
export function requireDeviceId(deviceId: string | null): string {
  if (deviceId === null) {
    throw deviceUnpairedError();
  }
  return deviceId;
}

/** The device that sent the request. */
export async function requirePairedDevice(
  repositories: Repositories,
  deviceId: string | null,
): Promise<DeviceWithLive> {
  const row = await repositories.devices.findRow(requireDeviceId(deviceId));
  if (!row) {
    throw deviceUnpairedError();
  }
  return row;
}
