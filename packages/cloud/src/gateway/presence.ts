import type { Clock } from '../domain/clock.ts';
import { DISCONNECT_GRACE_MS, OFFLINE_AFTER_MS } from '../domain/presence.ts';
import { presentDevice } from '../http-server/present.ts';
import type { Row } from '../database/schema.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';

/** Changes of the device row when a message arrives. */
export interface SeenUpdate {
  last_seen: number;
  status: 'online';
  told_status: 'online';
}

/**
 * Marks a device as online after a message from it; nothing else does. Returns the changes of its row, which the caller
 * writes together with its own.
 */
export async function markDeviceSeen(
  tx: Transaction,
  device: Pick<Row<'devices'>, 'id' | 'status' | 'told_status'>,
  nowMs: number,
): Promise<SeenUpdate> {
  if (device.status === 'offline') {
    await tx.presence.openSpan(device.id, nowMs);
  }
  if (device.told_status === 'offline') {
    await notifyPresence(tx, device.id, 'online');
  }
  return { last_seen: nowMs, status: 'online', told_status: 'online' };
}

export interface PresenceSweepDeps {
  database: CloudDatabase;
  clock: Clock;
  /** When the socket of a device closed; null when it did not. */
  disconnectedAtMs: (deviceId: string) => number | null;
  /** Until when writes of device messages failed; 0 when they never did. */
  writesBlockedUntilMs: () => number;
}

/**
 * Marks devices offline that were silent for too long. Starts only after the cloud itself has run for that long: after
 * a restart, devices need time to report.
 */
export function createPresenceSweep({
  database,
  clock,
  disconnectedAtMs,
  writesBlockedUntilMs,
}: PresenceSweepDeps): () => Promise<void> {
  const startedMs = clock.nowMs();
  return async () => {
    const nowMs = clock.nowMs();
    for (const id of await database.devices.listOnlineNotSeenSince(nowMs - DISCONNECT_GRACE_MS)) {
      const device = await database.devices.findRow(id);
      if (!device) {
        continue;
      }
      const isSilent = device.last_seen === null || device.last_seen <= nowMs - OFFLINE_AFTER_MS;
      const disconnectedMs = disconnectedAtMs(id);
      const isDisconnected = disconnectedMs !== null && disconnectedMs <= nowMs - DISCONNECT_GRACE_MS;
      if (isSilent || isDisconnected) {
        await database.transaction((tx) => markOffline(tx, id, nowMs));
      }
    }
    if (Math.max(startedMs, writesBlockedUntilMs()) > nowMs - OFFLINE_AFTER_MS) {
      return;
    }
    for (const id of await database.devices.offlineNotNotified()) {
      await database.transaction((tx) => notifyOffline(tx, id));
    }
  };
}

async function markOffline(tx: Transaction, deviceId: string, nowMs: number): Promise<void> {
  const device = await tx.devices.findRow(deviceId);
  if (device?.status !== 'online') {
    return;
  }
  await tx.devices.update(deviceId, { status: 'offline' });
  // The device counts as online until its last message.
  await tx.presence.closeSpan(deviceId, device.last_seen ?? nowMs);
}

async function notifyOffline(tx: Transaction, deviceId: string): Promise<void> {
  const device = await tx.devices.findRow(deviceId);
  if (device?.status !== 'offline' || device.told_status === 'offline') {
    return;
  }
  await tx.devices.update(deviceId, { told_status: 'offline' });
  await notifyPresence(tx, deviceId, 'offline');
}

async function notifyPresence(
  tx: Transaction,
  deviceId: string,
  status: 'online' | 'offline',
): Promise<void> {
  const device = await tx.devices.find(deviceId);
  if (device) {
    await tx.notifyWebhooks({
      type: `device.${status}`,
      resource: deviceId,
      data: { device: presentDevice({ ...device, status }) },
    });
  }
}
