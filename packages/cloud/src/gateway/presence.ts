import { setImmediate } from 'node:timers/promises';
import { DISCONNECT_GRACE_MS, OFFLINE_AFTER_MS } from '../domain/presence.ts';
import type { Row } from '../database/schema.ts';
import type { Transaction } from '../database/cloud-database.ts';
import { slicesOf } from '../database/paging.ts';
import { createOfflineNotices, notifyPresence } from './presence-notices.ts';
import type { OfflineNoticesDeps } from './presence-notices.ts';

/** Devices that are marked in one transaction, which is one turn of the event loop: 5 ms. */
const DEVICES_AT_ONCE = 25;

/**
 * Devices that may be silent, looked at in one transaction. After some minutes without the cloud all devices are silent, and
 * it serves only when they are marked: with a transaction for each of 50,000 that took minutes.
 */
const SWEPT_AT_ONCE = 200;

/** The same before the cloud serves: nobody waits for a turn, and each transaction waits for the disk. */
const SWEPT_AT_ONCE_AT_START = 2_000;

/**
 * Marks a device as online after a message from it, begins its online span, and tells webhooks of it. The caller stores
 * `last_seen`. Devices that return after some minutes without the cloud, of which nobody was told, are marked by `markReturned`.
 */
export async function markDeviceSeen(
  tx: Transaction,
  device: Pick<Row<'devices'>, 'id' | 'number' | 'status' | 'told_status'>,
  nowMs: number,
): Promise<void> {
  if (device.status === 'offline') {
    await tx.presence.openSpan(device.id, nowMs);
    await tx.devices.setStatus(device, 'online');
  }
  if (device.told_status === 'offline') {
    await notifyPresence(tx, device.id, 'online');
    await tx.devices.update(device.id, { told_status: 'online' });
  }
}

export interface PresenceSweepDeps extends OfflineNoticesDeps {
  /** Devices whose socket closed, and that have none now, with the time. */
  disconnected: () => Iterable<[deviceId: string, atMs: number]>;
  /** The socket that closed then needs no more attention. */
  forgetDisconnected: (deviceId: string, atMs: number) => void;
  /** Until when writes of device messages failed; 0 when they never did. */
  writesBlockedUntilMs: () => number;
}

/** The sweep runs every few seconds. One that comes so much later says that the process was suspended. */
const LATE_MS = 60_000;

/**
 * Marks devices offline that were silent for too long, and tells it. While the database could not be reached nobody was
 * heard: after that devices have as long to report again as they may be silent. After a start they are marked at once, so that none is
 * shown as online that is not, but told only then.
 */
export function createPresenceSweep({
  database,
  clock,
  log,
  disconnected,
  forgetDisconnected,
  isLeader,
  writesBlockedUntilMs,
}: PresenceSweepDeps): () => Promise<void> {
  const tellOffline = createOfflineNotices({ database, clock, log, isLeader });
  const startedMs = clock.nowMs();
  let sweptMs = startedMs;
  /** Until when this node, or its database, was away. */
  let awayUntilMs = 0;
  let sweptAtOnce = SWEPT_AT_ONCE_AT_START;
  const sweep = async (nowMs: number): Promise<void> => {
    const silentSinceMs = nowMs - OFFLINE_AFTER_MS;
    const unheardUntilMs = Math.max(awayUntilMs, writesBlockedUntilMs());
    // Every node asks, so that each knows when the database was away: any may lead next.
    const mayAnyBeSilent = await database.devices.mayAnyBeSilentSince(silentSinceMs);
    if (isLeader() && mayAnyBeSilent && unheardUntilMs <= silentSinceMs) {
      let count: number;
      do {
        count = await database.transaction((tx) => tx.presence.endSilent(silentSinceMs, sweptAtOnce));
      } while (count === sweptAtOnce);
    }
    const graceEndedMs = nowMs - DISCONNECT_GRACE_MS;
    const overdue = [...disconnected()].filter(([, atMs]) => atMs <= graceEndedMs);
    for (const slice of slicesOf(overdue, DEVICES_AT_ONCE)) {
      await setImmediate();
      const lastSeen = await database.devices.findLastSeen(slice.map(([id]) => id));
      const silent = slice.filter(([id, atMs]) => {
        const seenMs = lastSeen.get(id);
        // Seen since: it sends heartbeats by HTTP, or has a socket to another node. Then only silence tells.
        return seenMs !== undefined && (seenMs ?? 0) <= atMs;
      });
      if (silent.length > 0) {
        await database.transaction(async (tx) => {
          for (const [id, atMs] of silent) {
            await markOffline(tx, id, atMs, nowMs);
          }
        });
      }
      for (const [id, atMs] of slice) {
        forgetDisconnected(id, atMs);
      }
    }
    if (!isLeader() || Math.max(startedMs, unheardUntilMs) > silentSinceMs) {
      return;
    }
    await tellOffline();
  };
  return async () => {
    const nowMs = clock.nowMs();
    if (nowMs - sweptMs > LATE_MS) {
      awayUntilMs = nowMs;
    }
    try {
      await sweep(nowMs);
    } catch (error) {
      awayUntilMs = clock.nowMs();
      throw error;
    } finally {
      sweptMs = clock.nowMs();
      sweptAtOnce = SWEPT_AT_ONCE;
    }
  };
}

/** Marks a device offline from which nothing was received since the timestamp. */
async function markOffline(
  tx: Transaction,
  deviceId: string,
  silentSinceMs: number,
  nowMs: number,
): Promise<void> {
  const device = await tx.devices.findRow(deviceId);
  if (device?.status !== 'online' || (device.last_seen ?? 0) > silentSinceMs) {
    return;
  }
  await tx.devices.setStatus(device, 'offline');
  // The device counts as online until its last message.
  await tx.presence.closeSpan(deviceId, device.last_seen ?? nowMs);
}
