import { ApiError } from '../domain/api-error.ts';
import type { Row } from '../database/schema.ts';
import type { Repositories } from '../database/cloud-database.ts';

/** The error for a device that was removed while its request was processed. */
export const deviceUnpairedError = () =>
  new ApiError('DEVICE_UNPAIRED', 'This device was removed; pair it again.');

/** Returns the device that sent the request. */
export async function requirePairedDevice(
  repositories: Repositories,
  deviceId: string | null,
): Promise<Row<'devices'>> {
  const row = await repositories.devices.findRow(deviceId ?? '');
  if (!row) {
    throw deviceUnpairedError();
  }
  return row;
}
