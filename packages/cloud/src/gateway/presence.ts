import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { DISCONNECT_GRACE_MS, HEARTBEAT_INTERVAL_SECONDS, OFFLINE_AFTER_MS } from '../domain/presence.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { presentDevice } from '../http-server/present.ts';
import type { Row } from '../database/schema.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { slicesOf } from '../database/paging.ts';

/** Disconnected devices that are read in one turn of the event loop: all that send heartbeats by HTTP stay to be read. */
const DEVICES_AT_ONCE = 50;

/**
 * Silent devices in one transaction. After some minutes without the cloud all devices are silent, and it serves only
 * when they are marked: with a transaction for each of 50,000 that took minutes.
 */
const SILENT_AT_ONCE = 200;

/** Marks a device as online after a message from it; nothing else does. The caller stores `last_seen`. */
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

/** A device that was heard from more recently is not written again when it connects. */
const RECENTLY_SEEN_MS = HEARTBEAT_INTERVAL_SECONDS * 1000;

/**
 * How long devices that have connected wait to be written together. Only one connection is accepted in a turn of the
 * event loop: with a commit in each turn, 10,000 devices would connect in 40 s instead of 2.
 */
const SEEN_WAIT_MS = 100;
/** Devices in one transaction: 2 ms. */
const SEEN_AT_ONCE = 256;

interface ConnectedDevice {
  deviceId: string;
  number: number;
  playerVersion: string;
  seenMs: number;
}

/** Records that devices have connected. */
export interface ConnectRecorder {
  /**
   * Does not write when that changes nothing that matters, and does not wait for the write if only the time of the
   * last message changes: after a restart of the cloud all devices connect at once.
   */
  record: (deviceId: string, playerVersion: string, nowMs: number) => Promise<void>;
  /** Writes what waits, and nothing afterwards. */
  close: () => Promise<void>;
}

export function createConnectRecorder({
  database,
  log,
}: {
  database: CloudDatabase;
  log: Logger;
}): ConnectRecorder {
  let waiting = new Map<string, ConnectedDevice>();
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const writeWaiting = async (): Promise<void> => {
    timer = null;
    const devices = [...waiting.values()];
    waiting = new Map();
    try {
      for (const slice of slicesOf(devices, SEEN_AT_ONCE)) {
        for (const { deviceId, playerVersion, seenMs } of await database.recordSeen(slice)) {
          await recordAlone(deviceId, playerVersion, seenMs);
        }
        await setImmediate();
      }
    } catch (error) {
      // The next heartbeats say the same.
      if (storageFailureOf(error) === null) {
        log.error({ err: error }, 'socket.presence_failed');
      }
    }
  };

  const recordAlone = (deviceId: string, playerVersion: string, nowMs: number): Promise<void> =>
    database.transaction(async (tx) => {
      const device = await tx.devices.findRow(deviceId);
      if (!device) {
        return;
      }
      await markDeviceSeen(tx, device, nowMs);
      await tx.devices.updateLive(device.number, { last_seen: nowMs });
      if (device.player_version !== playerVersion) {
        await tx.devices.update(deviceId, { player_version: playerVersion });
      }
    });

  return {
    async record(deviceId, playerVersion, nowMs) {
      const known = database.connecting.findPresence(deviceId);
      const isOrdinary =
        known?.status === 'online' &&
        known.told_status === 'online' &&
        known.player_version === playerVersion;
      if (!isOrdinary) {
        await recordAlone(deviceId, playerVersion, nowMs);
      } else if ((known.last_seen ?? 0) <= nowMs - RECENTLY_SEEN_MS && !isClosed) {
        waiting.set(deviceId, { deviceId, number: known.number, playerVersion, seenMs: nowMs });
        timer ??= setTimeout(() => void writeWaiting(), SEEN_WAIT_MS);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer ?? undefined);
      await writeWaiting();
    },
  };
}

export interface PresenceSweepDeps {
  database: CloudDatabase;
  clock: Clock;
  /** Devices whose socket closed, and that have none now, with the time. */
  disconnected: () => Iterable<[deviceId: string, atMs: number]>;
  /** The device needs no more attention until its next socket closes. */
  forgetDisconnected: (deviceId: string) => void;
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
  disconnected,
  forgetDisconnected,
  writesBlockedUntilMs,
}: PresenceSweepDeps): () => Promise<void> {
  const startedMs = clock.nowMs();
  return async () => {
    const nowMs = clock.nowMs();
    const silentSinceMs = nowMs - OFFLINE_AFTER_MS;
    if ((await database.devices.listSilentSince(silentSinceMs)).length > 0) {
      let count: number;
      do {
        count = await database.transaction((tx) => tx.presence.endSilent(silentSinceMs, SILENT_AT_ONCE));
      } while (count === SILENT_AT_ONCE);
    }
    const graceEndedMs = nowMs - DISCONNECT_GRACE_MS;
    const overdue = [...disconnected()].flatMap(([id, atMs]) => (atMs > graceEndedMs ? [] : [id]));
    for (const slice of slicesOf(overdue, DEVICES_AT_ONCE)) {
      await setImmediate();
      const lastSeen = await database.devices.findLastSeen(slice);
      for (const id of slice) {
        const seenMs = lastSeen.get(id);
        if (seenMs === undefined) {
          forgetDisconnected(id);
        } else if ((seenMs ?? 0) <= graceEndedMs) {
          await database.transaction((tx) => markOffline(tx, id, graceEndedMs, nowMs));
        }
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
