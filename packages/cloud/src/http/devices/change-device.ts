import type { DeviceDetail } from '@placard/protocol/api';
import type { Transaction } from '../../database/cloud-database.ts';
import type { DeviceRow } from '../../database/devices.ts';
import type { RowChange } from '../../database/schema.ts';
import { requireWithinLimits } from '../request-checks.ts';
import { readDeviceDetail } from './device-detail.ts';

/** What is to be changed of a device; what is left out stays. */
export interface DeviceChange {
  columns?: RowChange<'devices'>;
  tags?: readonly string[] | undefined;
}

/** Changes a device, and says so to those who follow; returns it with the change. */
export async function changeDevice(
  tx: Transaction,
  before: DeviceRow,
  { columns, tags }: DeviceChange,
  nowMs: number,
): Promise<DeviceDetail> {
  const { id } = before;
  await tx.devices.update(id, { ...columns, updated_at: nowMs });
  if (tags) {
    await tx.devices.setTags(id, tags);
  }
  if (tags && tags.length > before.tags.length) {
    requireWithinLimits({ deviceTags: await tx.devices.countTags() }, 'tags');
  }
  tx.invalidateManifests({ deviceId: id });
  const data = await readDeviceDetail(tx, id);
  tx.recordEvent({ type: 'device.updated', resource: id, data: { device: data } });
  return data;
}
