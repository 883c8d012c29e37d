import { createServer, type Socket } from 'node:net';
import { relay } from './relay.ts';

/** A line to a server on loopback that can go dead without a word, as a line behind a router does. */
export interface Line {
  /** `http://127.0.0.1:…`, or `http://[::1]:…`. */
  readonly url: string;
  /** From now on nothing gets through, and nothing is closed. */
  die(): void;
  close(): Promise<void>;
}

export async function startLine(target: string, host: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<Line> {
  const open = new Set<Socket>();
  const server = createServer((socket) => relay(socket, target, open));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  const listening = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${listening}`,
    die() {
      for (const socket of open) socket.unpipe().pause();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
