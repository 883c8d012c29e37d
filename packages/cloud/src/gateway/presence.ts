import { presentDevice } from '../http/present.ts';
import type { Work } from '../store/store.ts';

/** A message came from the device itself: it is online. Only this makes a device online. */
export async function markSeen(work: Work, deviceId: string, nowMs: number): Promise<void> {
  const device = await work.devices.find(deviceId);
  if (!device) return;
  await work.devices.update(deviceId, { last_seen: nowMs, status: 'online' });
  if (device.status === 'online') return;
  await work.presence.openSpan(deviceId, nowMs);
  await work.notify({
    type: 'device.online',
    resource: deviceId,
    data: { device: presentDevice({ ...device, status: 'online' }) },
  });
}

/** The device has been silent for too long. */
export async function markOffline(work: Work, deviceId: string, nowMs: number): Promise<void> {
  const device = await work.devices.find(deviceId);
  if (device?.status !== 'online') return;
  await work.devices.update(deviceId, { status: 'offline' });
  // It was there until it was last heard.
  await work.presence.closeSpan(deviceId, device.last_seen ?? nowMs);
  await work.notify({
    type: 'device.offline',
    resource: deviceId,
    data: { device: presentDevice({ ...device, status: 'offline' }) },
  });
}
