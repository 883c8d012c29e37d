import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { SERVER_KEY } from './certificates.ts';
import { relay } from './relay.ts';

/** An encrypted front of a plain server on loopback. */
export interface TlsFront {
  /** `https://127.0.0.1:…`. */
  readonly url: string;
  /** From now on it shows this certificate; what is open is cut. */
  show(certificate: string): void;
  close(): Promise<void>;
}

export async function startTlsFront(target: string, certificate: string): Promise<TlsFront> {
  const open = new Set<Socket>();
  const server = createServer({ key: SERVER_KEY, cert: certificate }, (socket) =>
    relay(socket, target, open),
  );
  // A client that does not like the certificate goes away.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const listening = typeof address === 'object' && address ? address.port : 0;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `https://127.0.0.1:${listening}`,
    show(next) {
      server.setSecureContext({ key: SERVER_KEY, cert: next });
      cut();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
