import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A proxy on loopback that only tunnels, to this machine for every host name. */
export interface Proxy {
  readonly port: number;
  /** The requested tunnels, `host:port`. */
  readonly tunnels: string[];
  /** The server itself, for tests that need its events. */
  readonly server: Server;
}

export interface ProxyOptions {
  /** Required `name:password`. */
  credentials?: string;
  /** Refuses as if the credentials were wrong, for as long as this returns true. */
  refuses?: () => boolean;
  /** The proxy itself uses TLS. */
  tls?: { key: string; cert: string };
  /** Target of all tunnels; by default the requested port. */
  targetPort?: number;
  /** Accepts every request and never responds. */
  silent?: boolean;
}

const rejectPlainRequest: RequestListener = (_request, response) => response.writeHead(405).end();

export async function startProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const tunnels: string[] = [];
  const openSockets = new Set<Duplex>();
  const server = options.tls
    ? createSecureServer(options.tls, rejectPlainRequest)
    : createServer(rejectPlainRequest);
  server.on('tlsClientError', () => {});
  server.on('connect', (request, socket, head) => {
    openSockets.add(socket);
    socket.on('error', () => {});
    const expectedHeader =
      options.credentials && `Basic ${Buffer.from(options.credentials).toString('base64')}`;
    const isWrong = expectedHeader && request.headers['proxy-authorization'] !== expectedHeader;
    if (isWrong || options.refuses?.()) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = request.url ?? '';
    tunnels.push(target);
    if (options.silent) {
      socket.resume().on('end', () => socket.end());
      return;
    }
    const port = options.targetPort ?? Number(/:(\d+)$/.exec(target)?.[1]);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    openSockets.add(upstream);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const one of openSockets) {
      one.destroy();
    }
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return { port: (server.address() as AddressInfo).port, tunnels, server };
}
