import type { Clock } from '../domain/clock.ts';
import { DROP_GRACE_MS, SILENCE_MS } from '../domain/presence.ts';
import { presentDevice } from '../http/present.ts';
import type { Row } from '../store/schema.ts';
import type { Store, Work } from '../store/store.ts';

/** What a message changes in the row of its device. */
export interface Seen {
  last_seen: number;
  status: 'online';
  told_status: 'online';
}

/**
 * A message came from the device itself: it is online. Only this makes a device online. Answers with what
 * changes in its row, for the caller to write together with what else it has.
 */
export async function markSeen(
  work: Work,
  device: Pick<Row<'devices'>, 'id' | 'status' | 'told_status'>,
  nowMs: number,
): Promise<Seen> {
  if (device.status === 'offline') await work.presence.openSpan(device.id, nowMs);
  if (device.told_status === 'offline') await notify(work, device.id, 'online');
  return { last_seen: nowMs, status: 'online', told_status: 'online' };
}

export interface PresenceSweepDeps {
  store: Store;
  clock: Clock;
  /** When the socket of a device dropped, if it did. */
  droppedAtMs: (deviceId: string) => number | null;
  /** Until when nothing that devices said could be written down; 0 when it always could. */
  deafUntilMs: () => number;
}

/**
 * Marks devices offline that have been silent for too long. That is told once this service has itself been
 * there for as long: after a restart no device has had the time to be heard, and most of them will be.
 */
export function createPresenceSweep({
  store,
  clock,
  droppedAtMs,
  deafUntilMs,
}: PresenceSweepDeps): () => Promise<void> {
  const startedMs = clock.nowMs();
  return async () => {
    const nowMs = clock.nowMs();
    for (const id of await store.devices.silentSince(nowMs - DROP_GRACE_MS)) {
      const device = await store.devices.findRow(id);
      if (!device) continue;
      const silent = device.last_seen === null || device.last_seen <= nowMs - SILENCE_MS;
      const droppedMs = droppedAtMs(id);
      const lost = droppedMs !== null && droppedMs <= nowMs - DROP_GRACE_MS;
      if (silent || lost) await store.transaction((work) => markOffline(work, id, nowMs));
    }
    if (Math.max(startedMs, deafUntilMs()) > nowMs - SILENCE_MS) return;
    for (const id of await store.devices.offlineUntold())
      await store.transaction((work) => tellOffline(work, id));
  };
}

async function markOffline(work: Work, deviceId: string, nowMs: number): Promise<void> {
  const device = await work.devices.findRow(deviceId);
  if (device?.status !== 'online') return;
  await work.devices.update(deviceId, { status: 'offline' });
  // It was there until it was last heard.
  await work.presence.closeSpan(deviceId, device.last_seen ?? nowMs);
}

async function tellOffline(work: Work, deviceId: string): Promise<void> {
  const device = await work.devices.findRow(deviceId);
  if (device?.status !== 'offline' || device.told_status === 'offline') return;
  await work.devices.update(deviceId, { told_status: 'offline' });
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
