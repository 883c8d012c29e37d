import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface RecordingServer {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[];
  /** The request handler; can be replaced. */
  respond: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** A local web server that records its requests. */
export async function startRecordingServer(respond: RequestListener): Promise<RecordingServer> {
  const recordingServer: RecordingServer = {
    url: '',
    requests: [],
    respond,
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
      recordingServer.requests.push({ method, path, headers, body });
      recordingServer.respond(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) {
    throw new Error('no address');
  }
  recordingServer.url = `http://127.0.0.1:${address.port}`;
  return recordingServer;
}
