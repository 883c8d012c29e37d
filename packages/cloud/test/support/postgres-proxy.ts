import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { relay } from '../../../../test/support/relay.ts';

/** Between a cloud and PostgreSQL: a server that goes away and comes back. */
export interface PostgresProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Connections are lost, and new ones as well. */
  cut(): void;
  /** From now on nothing passes, and connections stay open, new ones as well: as behind a failed router. */
  freeze(): void;
  /** New connections pass again; those that were frozen are lost. */
  restore(): void;
}

export async function startPostgresProxy(
  databaseUrl: string,
  onFinished: (close: () => Promise<void>) => void,
): Promise<PostgresProxy> {
  const url = new URL(databaseUrl);
  const target = `http://${url.host}`;
  const openSockets = new Set<Socket>();
  let state: 'passing' | 'cut' | 'frozen' = 'passing';
  const server = createServer((socket) => {
    switch (state) {
      case 'passing':
        relay(socket, target, openSockets);
        break;
      case 'cut':
        socket.destroy();
        break;
      case 'frozen':
        openSockets.add(socket.pause());
        socket.on('error', () => {}).on('close', () => openSockets.delete(socket));
        break;
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const destroyAll = () => openSockets.forEach((socket) => socket.destroy());
  onFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    destroyAll();
    await closed;
  });
  const address = server.address();
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    url: url.href,
    cut() {
      state = 'cut';
      destroyAll();
    },
    freeze() {
      state = 'frozen';
      for (const socket of openSockets) {
        socket.unpipe().pause();
      }
    },
    restore() {
      if (state === 'frozen') {
        destroyAll();
      }
      state = 'passing';
    },
  };
}
