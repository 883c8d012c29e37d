import { once } from 'node:events';
import { PROTOCOL_VERSION } from '@placard/protocol';
import { WebSocket } from 'ws';

export interface ConnectedDevices {
  sockets: WebSocket[];
  perSecond: number;
  close(): void;
}

const AT_ONCE = 64;

/** Of players; a server that answers each message need not get it. */
const HELLO = JSON.stringify({
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  player_version: '0.1.0',
  manifest_revision: null,
  boot_id: 'b'.repeat(36),
});

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
        const opening = new WebSocket(`${url.replace('http', 'ws')}/v1/player/socket`, {
          headers: { authorization: `Bearer ${token}` },
          perMessageDeflate: false,
        });
        await new Promise<void>((resolve, reject) => {
          opening.once('message', () => resolve());
          opening.once('error', reject);
        });
        if (hello) {
          opening.send(HELLO);
        }
        sockets.push(opening);
        socket = opening;
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
    close() {
      for (const socket of sockets) {
        socket.terminate();
      }
    },
  };
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
