import { presentDevice } from '../http/present.ts';
import type { Row } from '../store/schema.ts';
import type { Work } from '../store/store.ts';

/**
 * A message came from the device itself: it is online. Only this makes a device online. Answers with what
 * changes in its row, for the caller to write together with what else it has.
 */
export async function markSeen(
  work: Work,
  device: Pick<Row<'devices'>, 'id' | 'status'>,
  nowMs: number,
): Promise<{ last_seen: number; status: 'online' }> {
  if (device.status === 'offline') {
    await work.presence.openSpan(device.id, nowMs);
    await notify(work, device.id, 'online');
  }
  return { last_seen: nowMs, status: 'online' };
}

/** The device has been silent for too long. */
export async function markOffline(work: Work, deviceId: string, nowMs: number): Promise<void> {
  const device = await work.devices.findRow(deviceId);
  if (device?.status !== 'online') return;
  await work.devices.update(deviceId, { status: 'offline' });
  // It was there until it was last heard.
  await work.presence.closeSpan(deviceId, device.last_seen ?? nowMs);
  await notify(work, deviceId, 'offline');
}

async function notify(work: Work, deviceId: string, status: 'online' | 'offline'): Promise<void> {
  const device = await work.devices.find(deviceId);
  if (device)
    await work.notify({
      type: `device.${status}`,
      resource: deviceId,
      data: { device: presentDevice({ ...device, status }) },
    });
}
