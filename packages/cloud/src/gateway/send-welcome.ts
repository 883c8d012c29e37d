import { PROTOCOL_VERSION } from '@placard/protocol';
import type { WireCommand } from '@placard/protocol';
import type { Clock } from '../domain/clock.ts';
import { toIso } from '../domain/iso-time.ts';
import { HEARTBEAT_INTERVAL_SECONDS } from '../domain/presence.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { deliverPendingCommands } from './commands.ts';
import { send, unpair } from './device-connection.ts';
import type { DeviceConnection } from './device-connection.ts';

/** Returns a function that sends the first messages on a new socket: the welcome, pending commands and what waited for them. */
export function createWelcome({ database, clock }: { database: CloudDatabase; clock: Pick<Clock, 'nowMs'> }) {
  /** Pending commands for a device that just connected. */
  const takePendingCommands = (deviceId: string): Promise<WireCommand[]> =>
    database
      .transaction((tx) => deliverPendingCommands(tx, deviceId, clock.nowMs()))
      .catch((error: unknown) => {
        // The commands stay pending until delivery can be recorded.
        ignoreStorageFailure(error);
        return [];
      });

  /** At once, unless commands are waiting or the device must be read. */
  return async (deviceId: string, connection: DeviceConnection): Promise<void> => {
    const found = database.connecting.hasPendingCommands(deviceId, clock.nowMs());
    const hasPending = typeof found === 'boolean' ? found : await found;
    const waiting = hasPending ? await takePendingCommands(deviceId) : [];
    let revision = database.manifests.derive(deviceId);
    while (revision === null) {
      if (!(await database.manifests.readDevices([deviceId])).has(deviceId)) {
        unpair(connection);
        return;
      }
      revision = database.manifests.derive(deviceId);
    }
    const queued = connection.queuedBeforeWelcome ?? [];
    connection.queuedBeforeWelcome = null;
    connection.toldRevision = revision;
    send(connection, {
      type: 'welcome',
      protocol: PROTOCOL_VERSION,
      server_time: toIso(clock.nowMs()),
      manifest_revision: revision,
      heartbeat_interval: HEARTBEAT_INTERVAL_SECONDS,
      heartbeats: true,
    });
    const sent = new Set(waiting.map((command) => command.id));
    for (const command of waiting) {
      send(connection, { type: 'command', command });
    }
    for (const message of queued) {
      if (message.type !== 'command' || !sent.has(message.command.id)) {
        send(connection, message);
      }
    }
  };
}
