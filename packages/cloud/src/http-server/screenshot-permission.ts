import type { Repositories } from '../database/cloud-database.ts';
import type { DeviceRow } from '../database/devices.ts';

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
