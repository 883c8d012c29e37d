import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';

import { noisePng } from './media.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** What was answered; 0 when the connection was cut or never answered. */
  answered: number;
}

/** A status, `hang` (no answer), `cut` (connection reset), or a status for each delivery. */
export type Behaviour = number | 'hang' | 'cut' | ((headers: IncomingHttpHeaders) => number);

const PICTURE = noisePng(12, 7);

/** Somebody's server that gets webhooks, and is not always well. To GET it answers with a picture. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How it answers from now on. */
  behave(how: Behaviour): void;
  /** Nobody listens any more, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

/** `onReceived` is told of each delivery when it has been read. */
export async function openReceiver(onReceived: (one: Received) => void = () => {}): Promise<Receiver> {
  const received: Received[] = [];
  const hanging = new Set<ServerResponse>();
  let how: Behaviour = 204;
  let port = 0;
  let server: Server | null = null;

  const listen = async () => {
    const next = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
        return;
      }
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        // Whoever is told may change how the next one is answered.
        const now = typeof how === 'function' ? how(request.headers) : how;
        const one = { headers: request.headers, body, answered: typeof now === 'number' ? now : 0 };
        received.push(one);
        onReceived(one);
        if (now === 'hang') hanging.add(response);
        else if (now === 'cut') request.socket.destroy();
        else response.writeHead(now).end();
      });
    });
    next.listen(port, '127.0.0.1');
    await once(next, 'listening');
    const address = next.address();
    if (address !== null && typeof address === 'object') port = address.port;
    server = next;
  };
  const close = async () => {
    const old = server;
    server = null;
    for (const response of hanging) response.destroy();
    hanging.clear();
    if (!old) return;
    old.closeAllConnections();
    old.close();
    await once(old, 'close');
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    behave(next) {
      // Whoever still waits for an answer waits in vain.
      for (const response of hanging) response.destroy();
      hanging.clear();
      how = next;
    },
    down: close,
    up: listen,
    close,
  };
}
