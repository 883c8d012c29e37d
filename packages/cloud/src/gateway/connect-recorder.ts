import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HEARTBEAT_INTERVAL_SECONDS } from '../domain/presence.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { slicesOf } from '../database/paging.ts';
import { markDeviceSeen } from './presence.ts';

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
      const known = await database.connecting.findPresence(deviceId);
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
