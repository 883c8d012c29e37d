import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface FileServer {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[];
  /** What it answers from now on. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** A web server on this machine that notes what it is asked. */
export async function startFileServer(answer: RequestListener): Promise<FileServer> {
  const held: FileServer = {
    url: '',
    requests: [],
    answer,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      held.requests.push({ method, path, headers, body });
      held.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  held.url = `http://127.0.0.1:${address.port}`;
  return held;
}
