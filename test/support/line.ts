import { connect, createServer, type Socket } from 'node:net';

/** A line to a server on loopback that can go dead without a word, as a line behind a router does. */
export interface Line {
  /** `http://127.0.0.1:…`, or `http://[::1]:…`. */
  readonly url: string;
  /** From now on nothing gets through, and nothing is closed. */
  die(): void;
  close(): Promise<void>;
}

export async function startLine(target: string, host: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<Line> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect({ host: hostname, port: Number(port) });
    for (const one of [socket, behind]) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        socket.destroy();
        behind.destroy();
      });
    }
    socket.pipe(behind).pipe(socket);
  });
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
