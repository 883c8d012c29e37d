import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { storageFailureOf } from '../domain/storage-failure.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { slicesOf } from '../database/paging.ts';
import type { DeviceConnection } from './device-connection.ts';

/**
 * How long new sockets wait to be published together. Each message is a transaction, and all nodes read it: 10,000
 * screens that connect within five seconds are 50 of them.
 */
const PUBLISH_INTERVAL_MS = 100;
/** Devices in one message: 30 kB. */
const DEVICES_AT_ONCE = 1_000;

/** Tells the other nodes which devices have connected to this one, so that they close their older sockets. */
export interface SocketPublisher {
  /** The device has a new connection, marked once it was published. */
  add: (deviceId: string, connection: DeviceConnection) => void;
  /** Publishes nothing afterwards. */
  close: () => Promise<void>;
}

export function createSocketPublisher({
  database,
  log,
}: {
  database: Pick<CloudDatabase, 'transaction'>;
  log: Logger;
}): SocketPublisher {
  const waiting = new Map<string, DeviceConnection>();
  let publishing: Promise<void> | null = null;
  let isClosed = false;

  const publishWaiting = async (): Promise<void> => {
    while (waiting.size > 0) {
      await setTimeout(PUBLISH_INTERVAL_MS);
      const open = [...waiting].filter(([, { socket }]) => socket.readyState === socket.OPEN);
      waiting.clear();
      for (const slice of slicesOf(open, DEVICES_AT_ONCE)) {
        await publish(slice);
      }
    }
    publishing = null;
  };

  const publish = async (opened: readonly [deviceId: string, connection: DeviceConnection][]) => {
    const deviceIds = opened.map(([deviceId]) => deviceId);
    try {
      await database.transaction(async (tx) => tx.publishToOthers({ type: 'sockets_opened', deviceIds }));
    } catch (error) {
      // The older sockets stay until they do not answer a ping.
      if (storageFailureOf(error) === null) {
        log.error({ err: error }, 'socket.publish_failed');
      }
      return;
    }
    for (const [, connection] of opened) {
      connection.isPublished = true;
    }
  };

  return {
    add(deviceId, connection) {
      if (!isClosed) {
        waiting.set(deviceId, connection);
        publishing ??= publishWaiting();
      }
    },
    async close() {
      isClosed = true;
      waiting.clear();
      await publishing;
    },
  };
}
