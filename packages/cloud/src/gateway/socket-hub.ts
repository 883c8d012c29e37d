import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { negotiateProtocolVersion, PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { EditTracing } from '../domain/edit-tracing.ts';
import type { CloudEvent } from '../domain/events.ts';
import { ApiError } from '../domain/api-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import type { Authenticator } from '../http-server/authenticate.ts';
import { socketUnavailable, toSocketError } from '../http-server/errors.ts';
import { deviceCallerName } from '../http-server/operation-route.ts';
import { rejectSocket } from '../http-server/reject-socket.ts';
import type { Connections } from '../http-server/connections.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { closeEvenly } from '../event-loop/close-evenly.ts';
import { closeAll, closeDrained } from './close-sockets.ts';
import type { LiveRequests } from '../domain/live-requests.ts';
import { deliverPendingCommands } from './commands.ts';
import { createConnectRecorder } from './connect-recorder.ts';
import {
  countSockets,
  createConnection,
  parsePlayerMessage,
  send,
  tellRevision,
  unpair,
} from './device-connection.ts';
import type { DeviceConnection } from './device-connection.ts';
import { askLive } from './live.ts';
import { createManifestPush } from './manifest-push.ts';
import { createPings, PING_TURNS } from './pings.ts';
import { createWelcome } from './send-welcome.ts';
import { createSocketPublisher } from './socket-publisher.ts';
import { receiveSocketHeartbeat } from './socket-heartbeats.ts';
import type { SocketHeartbeatDeps } from './socket-heartbeats.ts';

export const SOCKET_PATH = '/v1/player/socket';
/** A `hello` has about 500 bytes, and a heartbeat at most `MAX_SOCKET_HEARTBEAT_BYTES`. */
const MAX_MESSAGE_BYTES = 8192;
/** Reading from a socket pauses while more messages than this are pending. */
const MAX_PENDING_MESSAGES = 8;
/** Messages, pings and pongs of one device (all its sockets) in an interval of pings; beyond that its socket is closed. */
const MAX_MESSAGES_PER_PING = 300;

export interface SocketHubDeps extends SocketHeartbeatDeps {
  database: CloudDatabase;
  authenticator: Pick<Authenticator, 'authenticateUpgrade'>;
  connections: Pick<Connections, 'markAuthenticated'>;
  log: Logger;
  /** Where clients reach this cloud, without a slash at the end. */
  publicUrl: () => string;
  /** Whether devices may connect to other nodes as well. */
  hasOtherNodes: boolean;
  /** Whether none does now. */
  isAlone: () => boolean;
  tracing: Pick<EditTracing, 'beginPush' | 'told'>;
  live: Pick<LiveRequests, 'answer' | 'sent'>;
  /** Interval between pings; a socket that does not answer one is dropped. */
  pingIntervalMs?: number;
}

const closeReplaced = ({ socket }: DeviceConnection): void =>
  socket.close(SOCKET_CLOSE.replaced, 'replaced by a newer connection');

/** One WebSocket per device, also where it may connect to several nodes. */
export function createSocketHub(deps: SocketHubDeps) {
  const { database, clock, authenticator, log, tracing, hasOtherNodes, pingIntervalMs = 30_000 } = deps;
  const server = new WebSocketServer({
    noServer: true,
    // Compression takes 256 KiB per connection and slows broadcasts down.
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const connections = new Map<string, DeviceConnection>();
  const disconnectedAt = new Map<string, number>();
  /** Messages of each device in this interval of pings. */
  const messageCounts = new Map<string, number>();
  let isAccepting = true;
  let isClosing = false;

  const sendWelcome = createWelcome({ database, clock });
  const connectRecorder = createConnectRecorder({ database, log });
  const publisher = hasOtherNodes ? createSocketPublisher({ database, log }) : null;
  const manifestPush = createManifestPush({
    connected: () => connections.keys(),
    tell(deviceId) {
      const connection = connections.get(deviceId);
      const result = tellRevision(database.manifests, deviceId, connection);
      if (result === 'told') {
        tracing.told(deviceId, connection?.toldRevision ?? '');
      }
      return result;
    },
    beginPush: tracing.beginPush,
    read: (deviceIds) => database.manifests.readDevices(deviceIds),
    onError: (error) => {
      // Otherwise they cannot be read now, and learn their revisions from their next heartbeats.
      if (storageFailureOf(error) === null) {
        log.error({ err: error }, 'socket.push_failed');
      }
    },
  });

  const countTimer = setInterval(() => messageCounts.clear(), pingIntervalMs);
  countTimer.unref();
  const pings = createPings();
  const pingTimer = setInterval(() => pings.pingNext(), pingIntervalMs / PING_TURNS);
  pingTimer.unref();

  const handleMessage = async (
    deviceId: string,
    connection: DeviceConnection,
    bytes: Buffer,
  ): Promise<void> => {
    const message = parsePlayerMessage(bytes);
    // Unknown message types of newer players are ignored.
    if (!message) {
      return;
    }
    if (message.type !== 'hello') {
      return receiveSocketHeartbeat(deps, deviceId, connection, message);
    }
    // A newer player must use the protocol version of the welcome.
    if (negotiateProtocolVersion(message.protocol) !== message.protocol) {
      connection.socket.close(SOCKET_CLOSE.protocol, `this server speaks protocol ${PROTOCOL_VERSION}`);
      return;
    }
    connection.protocol = message.protocol;
    await connectRecorder.record(deviceId, message.player_version, clock.nowMs());
    // Other requests wait for one of these writes, not for all; heartbeats wait for the next batch anyway.
    await setImmediate();
  };

  /** The device has connected to another node, which now looks after it. */
  const handleOpenedElsewhere = (deviceId: string): void => {
    const connection = connections.get(deviceId);
    // Newer than the other one, whose node will be told of it.
    if (connection && !connection.isPublished) {
      return;
    }
    connections.delete(deviceId);
    disconnectedAt.delete(deviceId);
    if (connection) {
      closeReplaced(connection);
    }
  };

  const accept = (deviceId: string, socket: WebSocket, stream: Duplex): void => {
    const connection = createConnection(socket, stream, []);
    const previous = connections.get(deviceId);
    connections.set(deviceId, connection);
    disconnectedAt.delete(deviceId);
    if (previous) {
      closeReplaced(previous);
    }
    publisher?.add(deviceId, connection);
    pings.add(connection);

    let isCloseSent = false;
    /** Counts a message of the device; false when it is over the limit. */
    const countMessage = (): boolean => {
      connection.isAlive = true;
      const count = (messageCounts.get(deviceId) ?? 0) + 1;
      messageCounts.set(deviceId, count);
      if (count <= MAX_MESSAGES_PER_PING) {
        return true;
      }
      // Terminate a client that continues after the close frame: a closing socket would be read from for 30 s.
      if (isCloseSent) {
        socket.terminate();
      } else {
        socket.close(1008, 'too many messages');
      }
      isCloseSent = true;
      return false;
    };
    socket.on('ping', countMessage);
    socket.on('pong', countMessage);
    socket.on('error', (error) => log.info({ device_id: deviceId, err: error }, 'socket.failed'));
    socket.on('close', () => {
      pings.remove(connection);
      if (connections.get(deviceId) !== connection) {
        return;
      }
      connections.delete(deviceId);
      disconnectedAt.set(deviceId, clock.nowMs());
    });
    socket.on('message', (bytes: Buffer) => {
      if (!countMessage()) {
        return;
      }
      connection.pendingCount += 1;
      if (connection.pendingCount > MAX_PENDING_MESSAGES) {
        socket.pause();
      }
      connection.lastHandled = handleInOrder(connection.lastHandled, deviceId, connection, bytes);
    });
    void closeOnError(deviceId, socket, sendWelcome(deviceId, connection));
  };

  /**
   * Handles messages one at a time, so that those of one device overtake neither each other nor other devices. Pending
   * messages are kept unparsed, which takes less memory.
   */
  const handleInOrder = async (
    precedingWork: Promise<void>,
    deviceId: string,
    connection: DeviceConnection,
    bytes: Buffer,
  ): Promise<void> => {
    await precedingWork;
    const { socket } = connection;
    await closeOnError(deviceId, socket, handleMessage(deviceId, connection, bytes));
    connection.pendingCount -= 1;
    if (socket.isPaused && connection.pendingCount <= MAX_PENDING_MESSAGES) {
      socket.resume();
    }
  };

  const closeOnError = (deviceId: string, socket: WebSocket, task: Promise<void>): Promise<void> =>
    task.catch((error: unknown) => {
      if (isClosing) {
        return;
      }
      // Not stored, but the socket is still useful for pushes from the cloud.
      if (storageFailureOf(error) !== null) {
        return;
      }
      log.error({ device_id: deviceId, err: error }, 'socket.handle_failed');
      socket.close(1011, 'internal error');
    });

  return {
    async handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
      try {
        if (!isAccepting) {
          throw socketUnavailable('This node is stopping.');
        }
        const deviceId = await authenticator.authenticateUpgrade(request);
        deps.connections.markAuthenticated(request.socket, deviceCallerName(deviceId));
        if (database.manifests.derive(deviceId) === null) {
          await database.manifests.readDevices([deviceId]);
        }
        // The response and the welcome are one write: each takes 10 µs.
        socket.cork();
        server.handleUpgrade(request, socket, head, (accepted) => accept(deviceId, accepted, socket));
        socket.uncork();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'DEVICE_UNPAIRED') {
          server.handleUpgrade(request, socket, head, (accepted) => {
            // The socket is read until it closes, and an unhandled error event would end the process.
            accepted.on('error', (fault) => log.info({ err: fault }, 'socket.failed'));
            unpair(createConnection(accepted, socket, null));
          });
        } else {
          rejectSocket(socket, toSocketError(error, log), deps);
        }
      }
    },
    /** Forwards the events of a committed transaction to the sockets. */
    handleEvent: (event: CloudEvent): void => {
      const connection = 'deviceId' in event ? connections.get(event.deviceId) : undefined;
      switch (event.type) {
        case 'manifests_changed':
          manifestPush.add(event.deviceIds, event.traces);
          return;
        case 'sockets_opened':
          event.deviceIds.forEach(handleOpenedElsewhere);
          return;
        case 'live_requested':
          askLive(deps, connection, event);
          return;
        // Marks all pending commands as delivered: the socket has carried the others before, at the welcome or when they
        // were created. Heartbeats repeat each one until it is acknowledged.
        case 'command':
          if (connection) {
            send(connection, { type: 'command', command: event.command });
            const { deviceId } = event;
            const delivered = database.transaction(async (tx) => {
              await deliverPendingCommands(tx, deviceId, clock.nowMs());
            });
            void closeOnError(deviceId, connection.socket, delivered);
          }
          return;
        case 'unpaired':
          if (connection) {
            unpair(connection);
            disconnectedAt.delete(event.deviceId);
          }
          return;
        case 'live_sent':
        case 'live_answered':
        case 'webhook_deliveries_pending':
        case 'pairing_codes_expired':
        case 'operations_pending':
        case 'events_recorded':
      }
    },
    /** Open sockets, and those whose last heartbeat reported another revision than the device was told. */
    count: (): { open: number; behind: number } => countSockets(connections.values()),
    /** Devices whose socket closed since the start, and that have none now, with the time. */
    disconnected: (): Iterable<[deviceId: string, atMs: number]> => disconnectedAt,
    forgetDisconnected: (deviceId: string, atMs: number): void => {
      // Not the close of a later socket.
      if (disconnectedAt.get(deviceId) === atMs) {
        disconnectedAt.delete(deviceId);
      }
    },
    /** Accepts no more sockets, and closes those that are open evenly over `ms`; others go on meanwhile. */
    drain: (ms: number, signal: AbortSignal): Promise<void> => {
      isAccepting = false;
      return closeEvenly(server.clients, closeDrained, ms, signal);
    },
    close: async (): Promise<void> => {
      isAccepting = false;
      isClosing = true;
      clearInterval(pingTimer);
      clearInterval(countTimer);
      manifestPush.stop();
      closeAll(server.clients);
      const deadline = setTimeout(() => {
        for (const socket of server.clients) {
          socket.terminate();
        }
      }, 1000);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      clearTimeout(deadline);
      await publisher?.close();
      await connectRecorder.close();
    },
  };
}
