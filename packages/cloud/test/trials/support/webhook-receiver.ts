import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { freePort } from '../../../../../test/support/free-port.ts';
import { randomPng } from './media.ts';

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
  /** Status of the response; 0 when the connection was reset or got no response. */
  responseStatus: number;
}

/** A status, `hang` (no response), `cut` (connection reset), or a status for each delivery. */
export type ResponseBehaviour = number | 'hang' | 'cut' | ((headers: IncomingHttpHeaders) => number);

const IMAGE = randomPng(12, 7);

/** A webhook receiver that can be made to fail. It serves an image on GET. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Sets its behaviour from now on. */
  setBehaviour(how: ResponseBehaviour): void;
  /** Stops listening until `startListening`. */
  stopListening(): Promise<void>;
  startListening(): Promise<void>;
  close(): Promise<void>;
}

/** `onReceived` is called for each delivery after it was read. */
export async function startWebhookReceiver(
  onReceived: (one: ReceivedRequest) => void = () => {},
): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = [];
  const hanging = new Set<ServerResponse>();
  let behaviour: ResponseBehaviour = 204;
  const port = await freePort();
  let server: Server | null = null;

  const listen = async () => {
    const next = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'image/png' }).end(IMAGE);
        return;
      }
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        // `onReceived` may change the behaviour for the next delivery.
        const now = typeof behaviour === 'function' ? behaviour(request.headers) : behaviour;
        const one = { headers: request.headers, body, responseStatus: typeof now === 'number' ? now : 0 };
        received.push(one);
        onReceived(one);
        if (now === 'hang') {
          hanging.add(response);
        } else if (now === 'cut') {
          request.socket.destroy();
        } else {
          response.writeHead(now).end();
        }
      });
    });
    next.listen(port, '127.0.0.1');
    await once(next, 'listening');
    server = next;
  };
  const close = async () => {
    const old = server;
    server = null;
    for (const response of hanging) {
      response.destroy();
    }
    hanging.clear();
    if (!old) {
      return;
    }
    old.closeAllConnections();
    old.close();
    await once(old, 'close');
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    setBehaviour(next) {
      // Hanging requests get no response.
      for (const response of hanging) {
        response.destroy();
      }
      hanging.clear();
      behaviour = next;
    },
    stopListening: close,
    startListening: listen,
    close,
  };
}
