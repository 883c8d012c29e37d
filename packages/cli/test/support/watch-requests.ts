import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RequestWatch {
  /** The address to use instead of the server's. */
  url: string;
  /** What was asked for so far, such as `GET /v1/devices?limit=1`. */
  requests: string[];
}

/** A proxy before a server on loopback, which may do something before a request goes on. */
export async function watchRequests(
  target: string,
  before: (request: string) => Promise<void> = async () => {},
): Promise<RequestWatch> {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    const name = `${method} ${path}`;
    requests.push(name);
    const goOn = () => {
      const outgoing = forward(new URL(path, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      incoming.pipe(outgoing);
    };
    void before(name).then(goOn);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
