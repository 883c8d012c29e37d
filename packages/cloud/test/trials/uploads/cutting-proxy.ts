import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

export interface CuttingProxy {
  port: number;
  /** How often it has cut a connection so far. */
  readonly cuts: number;
  /** Bytes that clients have sent through it. */
  readonly sentBytes: number;
  close(): Promise<void>;
}

export interface CuttingProxyOptions {
  /** Port of the server on loopback. */
  target: number;
  /** After as many bytes of all clients together a connection is cut; ascending. */
  cutsAt: readonly number[];
  /** Whether the server is not told of a cut: its connection stays open, and nothing more arrives. */
  leavesServerWaiting: () => boolean;
}

/** A line that breaks: passes TCP connections on, and cuts them after some bytes. */
export async function startCuttingProxy(options: CuttingProxyOptions): Promise<CuttingProxy> {
  const { target, cutsAt, leavesServerWaiting } = options;
  const sockets = new Set<Socket>();
  let cuts = 0;
  let sentBytes = 0;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    return socket.once('close', () => sockets.delete(socket));
  };

  const server = createServer((client) => {
    track(client);
    const upstream = track(connect(target, '127.0.0.1'));
    upstream.pipe(client);
    upstream.once('close', () => client.destroy());
    client.once('end', () => upstream.end());
    client.on('data', (bytes: Buffer) => {
      const cutAt = cutsAt[cuts] ?? Infinity;
      const isCut = sentBytes + bytes.length > cutAt;
      const passed = isCut ? bytes.subarray(0, Math.max(0, cutAt - sentBytes)) : bytes;
      sentBytes += passed.length;
      if (!upstream.write(passed) && !isCut) {
        client.pause();
        upstream.once('drain', () => client.resume());
      }
      if (isCut) {
        cuts += 1;
        upstream.unpipe(client);
        client.resetAndDestroy();
        if (!leavesServerWaiting()) {
          upstream.resetAndDestroy();
        }
      }
    });
    client.once('error', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get cuts() {
      return cuts;
    },
    get sentBytes() {
      return sentBytes;
    },
    async close() {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
      await once(server, 'close');
    },
  };
}
