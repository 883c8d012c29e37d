import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { relay } from '../../../../test/support/relay.ts';

/** A line to a server on loopback that can be cut. */
export interface Line {
  url: string;
  /** How many connections there were. */
  connections: number;
  /** Ends all connections without a word. */
  cut(): void;
}

export async function startLine(target: string): Promise<Line> {
  const openSockets = new Set<Socket>();
  const cut = () => {
    for (const socket of openSockets) {
      socket.destroy();
    }
  };
  const line: Line = { url: '', connections: 0, cut };
  const server = createServer((socket) => {
    line.connections++;
    relay(socket, target, openSockets);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    cut();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return line;
}
