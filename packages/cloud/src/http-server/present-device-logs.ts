import type { DeviceLogs } from '@placard/protocol/api';
import type { Row } from '../database/schema.ts';
import { toIso } from '../domain/iso-time.ts';

/** Logs of a device as the API has them. */
export function presentDeviceLogs(row: Row<'device_logs'>): DeviceLogs {
  const files: { name: string; size: number }[] = JSON.parse(row.files);
  return {
    device_id: row.device_id,
    taken_at: toIso(row.taken_at),
    files: files.map(({ name, size }) => ({ name, size, url: `/v1/devices/${row.device_id}/logs/${name}` })),
  };
}
