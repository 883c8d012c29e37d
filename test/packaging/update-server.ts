import { createServer } from 'node:http';
import { once } from 'node:events';

export type UpdateServer = Awaited<ReturnType<typeof startUpdateServer>>;

/** Serves files from memory with Range support, and can interrupt a body. */
export async function startUpdateServer() {
  const files = new Map<string, Buffer>();
  const requests: { path: string; range: string | null }[] = [];
  /** By path: bytes after which the next response stalls, until it is continued or the connections are cut. */
  const breakAfterBytes = new Map<string, number>();
  const sendRest: (() => void)[] = [];

  const server = createServer((request, response) => {
    const range = request.headers.range ?? null;
    requests.push({ path: request.url ?? '', range });
    const file = files.get(request.url ?? '');
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const start = range ? Number(/^bytes=(\d+)-$/.exec(range)?.[1]) : 0;
    const body = file.subarray(start);
    response.writeHead(range ? 206 : 200, {
      'content-length': body.length,
      ...(range ? { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` } : {}),
    });
    const breakAfter = breakAfterBytes.get(request.url ?? '');
    breakAfterBytes.delete(request.url ?? '');
    if (breakAfter === undefined) {
      response.end(body);
    } else {
      response.write(body.subarray(0, breakAfter));
      sendRest.push(() => response.end(body.subarray(breakAfter)));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('not listening');
  }
  return {
    url: `http://127.0.0.1:${address.port}/`,
    requests,
    put: (name: string, content: string | Buffer) => void files.set(`/${name}`, Buffer.from(content)),
    breakNextResponse: (name: string, afterBytes: number) => void breakAfterBytes.set(`/${name}`, afterBytes),
    continueResponses: () => sendRest.splice(0).forEach((send) => send()),
    cutConnections: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
