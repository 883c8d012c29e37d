import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { commonProtocol, playerMessage, PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import type { PlayerMessage, ServerMessage, WireCommand } from '@placard/protocol';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Clock } from '../domain/clock.ts';
import type { CloudEvent } from '../domain/events.ts';
import { HEARTBEAT_SECONDS } from '../domain/presence.ts';
import { isRefusal, refusal } from '../domain/refusal.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { closeWith } from '../http/close-after.ts';
import type { Connections } from '../http/connections.ts';
import { readJson } from '../http/json.ts';
import { iso } from '../http/present.ts';
import type { Store } from '../store/store.ts';
import { deliverWaiting, reportCommand } from './commands.ts';
import { createManifestPushes } from './manifest-pushes.ts';
import { markSeen } from './presence.ts';

export const SOCKET_PATH = '/v1/player/socket';
/** A `hello` has some 500 bytes, and of what is told about a command 4 KiB are kept. */
const LARGEST_MESSAGE_BYTES = 8192;
/** Fields and list entries of a message. */
const MOST_ENTRIES = 1000;
/** While more messages of a socket wait than these, nothing more is read from it. */
const MOST_WAITING = 8;
/**
 * Messages, pings and pongs of one device between two pings of ours, over however many sockets; beyond that its socket is
 * closed.
 */
const MOST_MESSAGES = 300;

export interface SocketHubDeps {
  store: Store;
  clock: Clock;
  authenticator: Pick<Authenticator, 'ofUpgrade'>;
  connections: Pick<Connections, 'authenticated'>;
  log: Logger;
  /** Milliseconds between two pings; a socket that does not answer one is dropped. */
  pingIntervalMs?: number;
}

interface Connection {
  socket: WebSocket;
  /** Messages that wait for the welcome to be sent first; null afterwards. */
  held: ServerMessage[] | null;
  alive: boolean;
  /** The messages that came before this moment are dealt with. */
  read: Promise<void>;
  /** Messages that have come and are not dealt with. */
  waiting: number;
}

export interface SocketHub {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Passes on what a committed transaction announced. */
  deliver: (event: CloudEvent) => void;
  /** When the socket of the device dropped; null while it has one, or never had one since the start. */
  droppedAtMs: (deviceId: string) => number | null;
  close: () => Promise<void>;
}

/** One WebSocket per device. */
export function createSocketHub(deps: SocketHubDeps): SocketHub {
  const { store, clock, authenticator, log, pingIntervalMs = 30_000 } = deps;
  const server = new WebSocketServer({
    noServer: true,
    // Compression costs a quarter of a megabyte per connection and makes broadcasts slow.
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE_BYTES,
    clientTracking: true,
  });
  const connections = new Map<string, Connection>();
  const dropped = new Map<string, number>();
  /** How much each device has said since the last ping. */
  const spoken = new Map<string, number>();
  let closing = false;

  const send = (connection: Connection, message: ServerMessage): void => {
    if (connection.held) connection.held.push(message);
    else if (connection.socket.readyState === connection.socket.OPEN)
      connection.socket.send(JSON.stringify(message));
  };

  const pushes = createManifestPushes({
    clock,
    send(deviceId, revision) {
      const connection = connections.get(deviceId);
      if (connection) send(connection, { type: 'manifest_changed', revision });
    },
  });

  const pinger = setInterval(() => {
    spoken.clear();
    for (const connection of connections.values()) {
      if (!connection.alive) {
        connection.socket.terminate();
        continue;
      }
      // What is not read from is not heard to answer.
      connection.alive = connection.socket.isPaused;
      connection.socket.ping();
    }
  }, pingIntervalMs);
  pinger.unref();

  const welcome = async (deviceId: string, connection: Connection): Promise<void> => {
    const device = await store.devices.findRow(deviceId);
    const waiting = device ? await waitingFor(deviceId) : [];
    const held = connection.held ?? [];
    connection.held = null;
    if (!device) {
      unpair(connection);
      return;
    }
    send(connection, {
      type: 'welcome',
      protocol: PROTOCOL_VERSION,
      server_time: iso(clock.nowMs()),
      manifest_revision: device.manifest_revision,
      heartbeat_interval: HEARTBEAT_SECONDS,
    });
    const sent = new Set(waiting.map((command) => command.id));
    for (const command of waiting) send(connection, { type: 'command', command });
    for (const message of held)
      if (message.type !== 'command' || !sent.has(message.command.id)) send(connection, message);
  };

  /** Commands for a device that has just come; without any, its coming is no write. */
  const waitingFor = async (deviceId: string): Promise<WireCommand[]> => {
    if ((await store.commands.waiting(deviceId, clock.nowMs())).length === 0) return [];
    return store
      .transaction((work) => deliverWaiting(work, deviceId, clock.nowMs()))
      .catch((error: unknown) => {
        // They wait until it can be noted that they went out.
        if (storageTroubleOf(error) === null) throw error;
        return [];
      });
  };

  const unpair = (connection: Connection): void => {
    connection.held = null;
    send(connection, { type: 'unpaired' });
    connection.socket.close(SOCKET_CLOSE.unpaired, 'unpaired');
  };

  const receive = async (deviceId: string, socket: WebSocket, bytes: Buffer): Promise<void> => {
    const message = readMessage(bytes);
    // A newer player may say things that we do not know: those are passed over.
    if (!message) return;
    // A newer player says the version that the welcome named.
    if (message.type === 'hello' && commonProtocol(message.protocol) !== message.protocol) {
      socket.close(SOCKET_CLOSE.protocol, `this server speaks protocol ${PROTOCOL_VERSION}`);
      return;
    }
    await store.transaction(async (work) => {
      const device = await work.devices.findRow(deviceId);
      if (!device) return;
      const seen = await markSeen(work, device, clock.nowMs());
      const told = message.type === 'hello' ? { player_version: message.player_version } : {};
      await work.devices.update(deviceId, { ...seen, ...told });
      if (message.type === 'command_status')
        await reportCommand(work, deviceId, message.id, message, clock.nowMs());
    });
  };

  const accept = (deviceId: string, socket: WebSocket): void => {
    const connection = newConnection(socket, []);
    const older = connections.get(deviceId);
    connections.set(deviceId, connection);
    dropped.delete(deviceId);
    older?.socket.close(SOCKET_CLOSE.replaced, 'replaced by a newer connection');

    let told = false;
    /** Counts what the device says; false when it is too much. */
    const isHeard = (): boolean => {
      connection.alive = true;
      const count = (spoken.get(deviceId) ?? 0) + 1;
      spoken.set(deviceId, count);
      if (count <= MOST_MESSAGES) return true;
      // Whoever goes on after being told is not waited for: a socket that is closing is read from for 30 s.
      if (told) socket.terminate();
      else socket.close(1008, 'too many messages');
      told = true;
      return false;
    };
    socket.on('ping', isHeard);
    socket.on('pong', isHeard);
    socket.on('error', (error) => log.info({ event: 'socket.error', deviceId, err: error }));
    socket.on('close', () => {
      if (connections.get(deviceId) !== connection) return;
      connections.delete(deviceId);
      dropped.set(deviceId, clock.nowMs());
    });
    socket.on('message', (bytes: Buffer) => {
      if (!isHeard()) return;
      connection.waiting += 1;
      if (connection.waiting > MOST_WAITING) socket.pause();
      connection.read = receiveAfter(connection.read, deviceId, connection, bytes);
    });
    void guard(deviceId, socket, welcome(deviceId, connection));
  };

  /**
   * Each message is a write: whoever else asks for something waits for one of them, not for all. Those that wait are held
   * as they came, which takes less memory than what is read from them.
   */
  const receiveAfter = async (
    before: Promise<void>,
    deviceId: string,
    connection: Connection,
    bytes: Buffer,
  ): Promise<void> => {
    await before;
    const { socket } = connection;
    await guard(deviceId, socket, receive(deviceId, socket, bytes));
    await setImmediate();
    connection.waiting -= 1;
    if (socket.isPaused && connection.waiting <= MOST_WAITING) socket.resume();
  };

  const guard = (deviceId: string, socket: WebSocket, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (closing) return;
      // Not written down; the socket is still good for what the cloud has to say.
      if (storageTroubleOf(error) !== null) return;
      log.error({ event: 'socket.crashed', deviceId, err: error });
      socket.close(1011, 'internal error');
    });

  return {
    async upgrade(request, socket, head) {
      try {
        if (closing) throw new Error('closing');
        const deviceId = await authenticator.ofUpgrade(request);
        deps.connections.authenticated(request.socket, `device ${deviceId}`);
        server.handleUpgrade(request, socket, head, (accepted) => accept(deviceId, accepted));
      } catch (error) {
        if (isRefusal(error) && error.refusal === 'DEVICE_UNPAIRED')
          server.handleUpgrade(request, socket, head, (accepted) => {
            // It is read from until it is closed, and an error that nobody listens to ends the process.
            accepted.on('error', (fault) => log.info({ event: 'socket.error', err: fault }));
            unpair(newConnection(accepted, null));
          });
        else closeWith(socket, isRefusal(error) ? error : refusal('UNAVAILABLE', 'Try again.'), clock);
      }
    },
    deliver(event) {
      if (event.type === 'deliveries') return;
      const connection = connections.get(event.deviceId);
      if (!connection) return;
      switch (event.type) {
        case 'manifest_changed':
          pushes.add(event.deviceId, event.revision);
          return;
        case 'command':
          send(connection, { type: 'command', command: event.command });
          void guard(
            event.deviceId,
            connection.socket,
            store.transaction(async (work) => {
              await deliverWaiting(work, event.deviceId, clock.nowMs());
            }),
          );
          return;
        case 'unpaired':
          unpair(connection);
          dropped.delete(event.deviceId);
      }
    },
    droppedAtMs: (deviceId) => dropped.get(deviceId) ?? null,
    async close() {
      closing = true;
      clearInterval(pinger);
      pushes.stop();
      for (const socket of server.clients) socket.close(SOCKET_CLOSE.goingAway, 'the server stops');
      const deadline = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, 1000);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      clearTimeout(deadline);
    },
  };
}

const newConnection = (socket: WebSocket, held: ServerMessage[] | null): Connection => ({
  socket,
  held,
  alive: true,
  read: Promise.resolve(),
  waiting: 0,
});

function readMessage(bytes: Buffer): PlayerMessage | null {
  try {
    const read = playerMessage.safeParse(readJson(bytes, MOST_ENTRIES));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
