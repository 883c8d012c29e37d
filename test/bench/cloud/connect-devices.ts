import { WebSocket } from 'ws';

export interface ConnectedDevices {
  sockets: WebSocket[];
  perSecond: number;
  close(): void;
}

const AT_ONCE = 64;

/** Opens a socket for each token, some at a time, and waits for the first message on each. */
export async function connectDevices(url: string, tokens: readonly string[]): Promise<ConnectedDevices> {
  const waiting = [...tokens];
  const sockets: WebSocket[] = [];
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/player/socket`, {
          headers: { authorization: `Bearer ${token}` },
          perMessageDeflate: false,
        });
        await new Promise<void>((resolve, reject) => {
          socket.once('message', () => resolve());
          socket.once('error', reject);
        });
        sockets.push(socket);
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
  const startedMs = performance.now();
  await Promise.all(
    sockets.map((socket) => new Promise<void>((resolve) => socket.once('message', () => resolve()))),
  );
  return performance.now() - startedMs;
}
