import { refusal } from '../domain/refusal.ts';
import type { Row } from '../store/schema.ts';
import type { Repositories } from '../store/store.ts';

/** A device that was removed between two steps of one request. */
export const removed = () =>
  refusal('DEVICE_UNPAIRED', 'This device was removed; it has to be paired again.');

/** The device that a request came from. */
export async function deviceOf(from: Repositories, deviceId: string | null): Promise<Row<'devices'>> {
  const row = await from.devices.findRow(deviceId ?? '');
  if (!row) throw removed();
  return row;
}
