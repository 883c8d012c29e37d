import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A proxy on loopback that only tunnels, to this machine whatever the name. */
export interface Proxy {
  readonly port: number;
  /** What tunnels were asked for, `host:port`. */
  readonly tunnels: string[];
  /** The server itself, for what else happens to it. */
  readonly server: Server;
}

export interface ProxyOptions {
  /** `name:password` that it wants. */
  login?: string;
  /** It is spoken to in TLS itself. */
  tls?: { key: string; cert: string };
  /** Where all tunnels lead; else to the port that was asked for. */
  to?: number;
  /** Takes every call and answers none. */
  silent?: boolean;
}

const refuse: RequestListener = (_request, response) => response.writeHead(405).end();

export async function startProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const tunnels: string[] = [];
  const open = new Set<Duplex>();
  const server = options.tls ? createSecureServer(options.tls, refuse) : createServer(refuse);
  server.on('tlsClientError', () => {});
  server.on('connect', (request, socket, head) => {
    open.add(socket);
    socket.on('error', () => {});
    const known = options.login && `Basic ${Buffer.from(options.login).toString('base64')}`;
    if (known && request.headers['proxy-authorization'] !== known) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = request.url ?? '';
    tunnels.push(target);
    if (options.silent) {
      socket.resume().on('end', () => socket.end());
      return;
    }
    const port = options.to ?? Number(/:(\d+)$/.exec(target)?.[1]);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    open.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const one of open) one.destroy();
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return { port: (server.address() as AddressInfo).port, tunnels, server };
}
