import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { relay } from './relay.ts';

/** A proxy to a server on loopback that can stall silently, like a connection behind a failed router. */
export interface FreezableProxy {
  /** `http://127.0.0.1:…`, or `http://[::1]:…`. */
  readonly url: string;
  /** From now on no data passes, and no connection is closed. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startFreezableProxy(
  target: string,
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<FreezableProxy> {
  const openSockets = new Set<Socket>();
  const server = createServer((socket) => relay(socket, target, openSockets));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${port}`,
    freeze() {
      for (const socket of openSockets) {
        socket.unpipe().pause();
      }
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of openSockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}
