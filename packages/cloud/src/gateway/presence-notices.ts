import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { presentDevice } from '../http-server/present.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';

/** Devices of which is told in one transaction, which is one turn of the event loop: 5 ms. */
const TOLD_AT_ONCE = 25;

/** Devices that one call tells of: meanwhile no device is marked. The next one, seconds later, tells of further ones. */
const TOLD_PER_CALL = 1_000;

/** After this time a device is tried again of which telling failed. */
const RETRY_MS = 3_600_000;

/** When telling of so many fails, it is not for their sake. */
const MAX_FAILED = 1_000;

export interface OfflineNoticesDeps {
  database: CloudDatabase;
  clock: Clock;
  log: Logger;
  /** Whether this node does what one at a time may do. */
  isLeader: () => boolean;
}

/** Tells of the devices that are offline and of which nothing was told yet. */
export function createOfflineNotices({
  database,
  clock,
  log,
  isLeader,
}: OfflineNoticesDeps): () => Promise<void> {
  /** Devices of which telling failed, with the time: they are passed over, so that those behind them are told. */
  const failed = new Map<string, number>();

  const tell = (ids: readonly string[]): Promise<void> =>
    database.transaction(async (tx) => {
      for (const id of ids) {
        await notifyOffline(tx, id);
      }
    });

  const tellEach = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      try {
        await tell([id]);
      } catch (error) {
        if (storageFailureOf(error) !== null) {
          throw error;
        }
        failed.set(id, clock.nowMs());
        log.error({ device_id: id, err: error }, 'presence.notice_failed');
      }
    }
  };

  return async () => {
    const retriedMs = clock.nowMs() - RETRY_MS;
    for (const [id, failedMs] of failed) {
      if (failedMs <= retriedMs) {
        failed.delete(id);
      }
    }
    for (let told = 0; told < TOLD_PER_CALL && isLeader(); told += TOLD_AT_ONCE) {
      const found = await database.devices.offlineNotNotified(TOLD_AT_ONCE + failed.size);
      const ids = found.filter((id) => !failed.has(id)).slice(0, TOLD_AT_ONCE);
      if (ids.length > 0) {
        try {
          await tell(ids);
        } catch (error) {
          if (storageFailureOf(error) !== null || failed.size >= MAX_FAILED) {
            throw error;
          }
          await tellEach(ids);
        }
      }
      if (ids.length < TOLD_AT_ONCE) {
        return;
      }
    }
  };
}

async function notifyOffline(tx: Transaction, deviceId: string): Promise<void> {
  const device = await tx.devices.findRow(deviceId);
  if (device?.status !== 'offline' || device.told_status === 'offline') {
    return;
  }
  await tx.devices.update(deviceId, { told_status: 'offline' });
  await notifyPresence(tx, deviceId, 'offline');
}

/** Records the event that a device is online or offline now. */
export async function notifyPresence(
  tx: Transaction,
  deviceId: string,
  status: 'online' | 'offline',
): Promise<void> {
  const device = await tx.devices.find(deviceId);
  if (device) {
    tx.recordEvent({
      type: `device.${status}`,
      resource: deviceId,
      data: { device: presentDevice({ ...device, status }) },
    });
  }
}
