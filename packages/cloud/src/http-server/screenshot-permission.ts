import type { Repositories } from '../database/cloud-database.ts';
import type { DeviceRow } from '../database/devices.ts';
import { ApiError } from '../domain/api-error.ts';

/** Whose settings forbid screenshots of the device; null: they are allowed. */
export async function findForbidding(
  { organization }: Pick<Repositories, 'organization'>,
  device: Pick<DeviceRow, 'screenshots_allowed'>,
): Promise<'device' | 'organization' | null> {
  if (device.screenshots_allowed === 0) {
    return 'device';
  }
  return (await organization.get()).screenshots_allowed === 0 ? 'organization' : null;
}

/** Throws where the settings forbid screenshots of the device. */
export async function requireScreenshotsAllowed(
  repositories: Pick<Repositories, 'organization'>,
  device: Pick<DeviceRow, 'screenshots_allowed'>,
): Promise<void> {
  const by = await findForbidding(repositories, device);
  if (by !== null) {
    throw new ApiError('SCREENSHOTS_FORBIDDEN', `The ${by} allows no screenshots.`, { details: { by } });
  }
}
