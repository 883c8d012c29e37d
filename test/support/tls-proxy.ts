import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { SERVER_KEY } from './certificates.ts';
import { relay } from './relay.ts';

/** A TLS proxy in front of a plain server on loopback. */
export interface TlsProxy {
  /** `https://127.0.0.1:…`. */
  readonly url: string;
  /** From now on it presents this certificate; open connections are cut. */
  setCertificate(certificate: string): void;
  close(): Promise<void>;
}

export async function startTlsProxy(target: string, certificate: string): Promise<TlsProxy> {
  const openSockets = new Set<Socket>();
  const server = createServer({ key: SERVER_KEY, cert: certificate }, (socket) =>
    relay(socket, target, openSockets),
  );
  // A client that rejects the certificate disconnects.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const destroySockets = () => {
    for (const socket of openSockets) {
      socket.destroy();
    }
  };
  return {
    url: `https://127.0.0.1:${port}`,
    setCertificate(next) {
      server.setSecureContext({ key: SERVER_KEY, cert: next });
      destroySockets();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      destroySockets();
      await closed;
    },
  };
}
