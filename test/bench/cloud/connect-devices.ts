import { once } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL_VERSION } from '@placard/protocol';
import { WebSocket } from 'ws';
import { backoffMs } from '../../../src/core/backoff.ts';
import { SOCKET_RETRY } from '../../../src/core/socket-retry.ts';

export interface ConnectedDevices {
  sockets: WebSocket[];
  perSecond: number;
  close(): void;
}

const AT_ONCE = 64;
/** Sockets that are begun in a turn of the event loop: few, so that none waits long with its request. */
const BEGUN_PER_TURN = 16;

/** Of players; a server that answers each message need not get it. */
const HELLO = JSON.stringify({
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  player_version: '0.1.0',
  manifest_revision: null,
  boot_id: 'b'.repeat(36),
});

/** Resolves when the first message has arrived. */
async function openSocket(url: string, token: string, localAddress?: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/player/socket`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    ...(localAddress !== undefined && { localAddress }),
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('message', () => resolve());
    socket.once('error', reject);
  });
  return socket;
}

/**
 * Opens a socket for each token, some at a time, and waits for the first message on each. Then sends `hello`, and waits
 * until the last ones have arrived.
 */
export async function connectDevices(
  url: string,
  tokens: readonly string[],
  { hello = false } = {},
): Promise<ConnectedDevices> {
  const waiting = [...tokens];
  const sockets: WebSocket[] = [];
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      let socket: WebSocket | undefined;
      for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
        socket = await openSocket(url, token);
        if (hello) {
          socket.send(HELLO);
        }
        sockets.push(socket);
      }
      if (hello && socket) {
        const answered = once(socket, 'pong');
        socket.ping();
        await answered;
      }
    }),
  );
  return {
    sockets,
    perSecond: (tokens.length / (performance.now() - startedMs)) * 1000,
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
}

/** Devices that have connected at once. */
export interface Storm {
  /** When each was let in, in milliseconds since the first began to connect. */
  letInMs: number[];
  /** Connections that the system of the cloud reset because too many were waiting; their devices tried again. */
  resets: number;
  close(): void;
}

/** Of the loopback network, which Linux takes for its own as a whole. */
const loopbackAddress = (index: number) => `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`;

export function nullIfReset(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') {
    return null;
  }
  throw error;
}

/**
 * Opens a socket for each token, however many are not open yet, and sends `hello` as soon as it is. Each comes from an
 * address of its own, because the cloud lets few connections of an address wait, and tries again as players do.
 */
export async function connectAtOnce(url: string, tokens: readonly string[]): Promise<Storm> {
  const letInMs: number[] = [];
  let resets = 0;
  const startedMs = performance.now();
  const openOne = async (token: string, address: string) => {
    let socket: WebSocket | null = null;
    for (let attempt = 0; socket === null; attempt++) {
      socket = await openSocket(url, token, address).catch(nullIfReset);
      if (socket === null) {
        resets += 1;
        await sleep(backoffMs(attempt, Math.random(), SOCKET_RETRY));
      }
    }
    letInMs.push(performance.now() - startedMs);
    socket.send(HELLO);
    return socket;
  };
  const opening: Promise<WebSocket>[] = [];
  for (const token of tokens) {
    const opened = openOne(token, loopbackAddress(opening.length));
    // Reported when all have begun.
    opened.catch(() => {});
    opening.push(opened);
    if (opening.length % BEGUN_PER_TURN === 0) {
      await setImmediate();
    }
  }
  const sockets = await Promise.all(opening);
  return { letInMs, resets, close: () => sockets.forEach((socket) => socket.terminate()) };
}

/** Resolves when each socket has received a message, with the time that took. */
export async function untilAllReceived(sockets: readonly WebSocket[]): Promise<number> {
  const received = sockets.map(
    (socket) => new Promise<void>((resolve) => socket.once('message', () => resolve())),
  );
  const startedMs = performance.now();
  await Promise.all(received);
  return performance.now() - startedMs;
}
