import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HEARTBEAT_INTERVAL_SECONDS } from '../domain/presence.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import type { Presence } from '../database/connecting-devices.ts';
import { slicesOf } from '../database/paging.ts';
import { markDeviceSeen } from './presence.ts';
import { recordTogether } from './record-together.ts';

/** A device that was heard from more recently is not written again when it connects. */
const RECENTLY_SEEN_MS = HEARTBEAT_INTERVAL_SECONDS * 1000;

/**
 * How long devices that have connected wait to be written together. Only one connection is accepted in a turn of the
 * event loop: with a commit in each turn, 10,000 devices would connect in 40 s instead of 2.
 */
const WAIT_MS = 100;
/** Devices in one transaction: 2 ms, or 7 if all were offline. */
const DEVICES_AT_ONCE = 256;
/** Those in one transaction that have an event each, or another version: some 8 ms. */
const CHANGED_AT_ONCE = 25;

interface ConnectedDevice {
  deviceId: string;
  number: number;
  playerVersion: string;
  /**
   * `seen`: it is online, and was not heard from lately. `returned`: it is offline, and nobody was told that. `changed`: it has
   * another version, or somebody was told that it is offline.
   */
  change: 'seen' | 'returned' | 'changed';
  seenMs: number;
}

interface WaitingDevice extends ConnectedDevice {
  done: () => void;
  fail: (error: unknown) => void;
}

/** Records that devices have connected. */
export interface ConnectRecorder {
  /**
   * Does not write when that changes nothing that matters, and does not wait for the write if only the time of the
   * last message changes: after a restart of the cloud all devices connect at once. Rejects with the failure of the storage
   * if the device is to be marked as online and cannot be.
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
  const waiting: WaitingDevice[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let isClosed = false;

  const recordEach = (devices: readonly ConnectedDevice[]): Promise<void> =>
    database.transaction(async (tx) => {
      for (const device of devices) {
        await recordConnected(tx, device);
      }
    });

  const recordAll = async (devices: readonly ConnectedDevice[]): Promise<void> => {
    const { seen = [], returned = [], changed = [] } = Object.groupBy(devices, ({ change }) => change);
    if (seen.length > 0) {
      // Some may have gone offline meanwhile.
      returned.push(...(await database.recordSeen(seen)));
    }
    if (returned.length > 0) {
      const marked = await database.transaction((tx) => tx.presence.markReturned(returned));
      changed.push(...returned.filter(({ number }) => !marked.has(number)));
    }
    for (const slice of slicesOf(changed, CHANGED_AT_ONCE)) {
      await recordEach(slice);
    }
  };

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, DEVICES_AT_ONCE);
      const recorded = await recordTogether(() => recordAll(batch), {
        takeWaiting: () => [...batch, ...waiting.splice(0)],
        event: 'socket.presence_failed',
        log,
      });
      for (const device of recorded === 'refused' ? [] : batch) {
        if (recorded === null) {
          await recordEach([device]).then(device.done, device.fail);
        } else {
          device.done();
        }
      }
      await setImmediate();
    }
    writing = null;
  };

  const start = (): void => {
    timer = null;
    if (waiting.length > 0) {
      writing ??= writeWaiting();
    }
  };

  const write = (device: ConnectedDevice): Promise<void> =>
    new Promise((done, fail) => {
      waiting.push({ ...device, done, fail });
      if (writing === null) {
        timer ??= setTimeout(start, WAIT_MS);
      }
    });

  return {
    async record(deviceId, playerVersion, nowMs) {
      const known = await database.connecting.findPresence(deviceId);
      if (!known || isClosed) {
        return;
      }
      const change = changeOf(known, playerVersion);
      const written = () => write({ deviceId, number: known.number, playerVersion, change, seenMs: nowMs });
      if (change !== 'seen') {
        await written();
      } else if ((known.last_seen ?? 0) <= nowMs - RECENTLY_SEEN_MS) {
        // If that fails, the next heartbeats say the same.
        void written().catch(() => {});
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer ?? undefined);
      start();
      await writing;
    },
  };
}

function changeOf(known: Presence, playerVersion: string): ConnectedDevice['change'] {
  if (known.told_status === 'offline' || known.player_version !== playerVersion) {
    return 'changed';
  }
  return known.status === 'online' ? 'seen' : 'returned';
}

async function recordConnected(
  tx: Transaction,
  { deviceId, playerVersion, seenMs }: ConnectedDevice,
): Promise<void> {
  const device = await tx.devices.findRow(deviceId);
  if (!device) {
    return;
  }
  await markDeviceSeen(tx, device, seenMs);
  await tx.devices.updateLive(device.number, { last_seen: seenMs });
  if (device.player_version !== playerVersion) {
    await tx.devices.update(deviceId, { player_version: playerVersion });
  }
}
