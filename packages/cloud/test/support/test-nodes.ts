import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { startCloud } from '@placard/cloud';
import type { Cloud, CloudOptions } from '@placard/cloud';
import { Agent, setGlobalDispatcher } from 'undici';

/**
 * Starts nodes with these data folders, which share database and bucket of the options, behind a proxy that gives each
 * connection to the next one.
 */
export async function startNodes(folders: readonly string[], options: CloudOptions): Promise<Cloud> {
  // Each request has a connection of its own, so that the proxy spreads them all.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  const nodes: Cloud[] = [];
  const proxy = await startRoundRobin(options.port, () => nodes);
  const url = `http://127.0.0.1:${proxy.port}`;
  const closeAll = async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await proxy.close();
  };
  try {
    // One after the other: the S3 server of the tests fails when all write and delete one object at once.
    for (const dataDir of folders) {
      await mkdir(dataDir, { recursive: true });
      nodes.push(await startCloud({ ...options, dataDir, port: 0, publicUrl: options.publicUrl ?? url }));
    }
  } catch (error) {
    await closeAll();
    throw error;
  }
  const [first] = nodes;
  return {
    url,
    publicUrl: first!.publicUrl,
    metricsUrl: first!.metricsUrl,
    adminKey: first!.adminKey,
    firstAdminUrl: first!.firstAdminUrl,
    diskWarning: first!.diskWarning,
    drain: async (ms, signal) => {
      await Promise.all(nodes.map((node) => node.drain(ms, signal)));
    },
    close: closeAll,
  };
}

async function startRoundRobin(port: number, nodes: () => readonly Cloud[]) {
  const open = new Set<Socket>();
  let connections = 0;
  // What one side has ended, the other may still answer.
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    const node = nodes()[connections++ % nodes().length];
    if (!node) {
      socket.destroy();
      return;
    }
    const { hostname, port: nodePort } = new URL(node.url);
    const upstream = connect({ host: hostname, port: Number(nodePort), allowHalfOpen: true });
    for (const one of [socket, upstream]) {
      open.add(one);
      one.on('close', () => open.delete(one));
      // A close follows.
      one.on('error', () => {});
    }
    socket.pipe(upstream).pipe(socket);
    // What the node has answered still arrives.
    upstream.on('close', () => socket.end().resume());
    socket.on('close', () => upstream.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      if (!server.listening) {
        return;
      }
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) {
        socket.destroy();
      }
      await closed;
    },
  };
}
