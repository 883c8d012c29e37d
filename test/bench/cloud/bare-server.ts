/** Run as a separate process: the least that a server must do for a request, as the limit of what ours can reach. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { WebSocketServer } from 'ws';
import { createBareStore } from './bare-store.ts';
import type { BareHeartbeat } from './bare-store.ts';

const [kind = '', argument = ''] = process.argv.slice(2);
/** Sent to a socket that has connected, and to all when one of them sends anything but a hello. */
const MESSAGE = JSON.stringify({ type: 'manifest_changed', revision: 'x'.repeat(32) });

/** How long it computes for each request besides. */
let besidesMicros = 0;
process.on('message', (micros: number) => {
  besidesMicros = micros;
});

function computeBesides(): void {
  if (besidesMicros > 0) {
    // Not by the clock: what other processes take of the processor meanwhile would count as computed.
    const began = process.cpuUsage();
    let spent: NodeJS.CpuUsage;
    do {
      spent = process.cpuUsage(began);
    } while (spent.user + spent.system < besidesMicros);
  }
}

function sendPort(server: { address(): AddressInfo | string | null }): void {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : 0);
}

function serve(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1', () => sendPort(server));
}

const answerHeartbeat = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":{}}');

/** Writes the body to a file, synchronizes it, and returns its hash. */
async function receiveFile(request: IncomingMessage, path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await file.write(chunk);
    }
    await file.sync();
    return hash.digest('hex');
  } finally {
    await file.close();
    await rm(path);
  }
}

if (kind === 'http') {
  // Parses a JSON body, stores it if the argument says so, and answers with a small one.
  const store = argument === 'stored' ? createBareStore() : null;
  serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const heartbeat: BareHeartbeat = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (store) {
        void store.save(request.headers.authorization ?? '', heartbeat).then(() => answerHeartbeat(response));
      } else {
        answerHeartbeat(response);
      }
    });
  });
} else if (kind === 'upload') {
  // Stores a body in the file of the argument and answers with its hash.
  serve((request, response) => {
    void receiveFile(request, argument).then((hash) => response.writeHead(201).end(hash));
  });
} else if (kind === 'download') {
  // Answers with the file of the argument, or with a range of it.
  const size = statSync(argument).size;
  serve((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const [start, end] = from === undefined ? [0, size - 1] : [Number(from), Number(to)];
    response.writeHead(from === undefined ? 200 : 206, { 'content-length': end - start + 1 });
    createReadStream(argument, { start, end }).pipe(response);
  });
} else if (kind === 'streams') {
  // Begins a response with a head as long as ours, and does not end it.
  const head = ['content-type', 'text/event-stream', 'x-padding', 'x'.repeat(Number(argument))];
  serve((_request, response) => {
    response.writeHead(200, head).flushHeaders();
    response.write('retry: 2000\n\n');
  });
} else if (kind === 'ws') {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => {
    socket.send(MESSAGE);
    socket.on('message', (bytes: Buffer) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the bench
      if ((JSON.parse(bytes.toString('utf8')) as { type?: string }).type === 'hello') {
        return;
      }
      for (const client of server.clients) {
        client.send(MESSAGE);
      }
    });
  });
  server.on('listening', () => sendPort(server));
} else if (kind === 'echo') {
  // Returns each message, and parses and stores it before if the argument says so.
  const store = argument === 'stored' ? createBareStore() : null;
  let sockets = 0;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => {
    const device = String(++sockets);
    socket.send(MESSAGE);
    socket.on('message', (message: Buffer) => {
      const answer = () => socket.send(message, { binary: false });
      if (store) {
        void store.save(device, JSON.parse(message.toString('utf8'))).then(answer);
      } else {
        answer();
      }
    });
  });
  server.on('listening', () => sendPort(server));
} else if (kind === 'reads') {
  // Answers reads of devices from the database in the folder of the argument.
  const { openBareReads } = await import('./bare-reads.ts');
  const reads = openBareReads(argument);
  const app = fastify();
  app.get<{ Params: { id: string } }>('/v1/devices/:id', async ({ params }) => reads.device(params.id));
  app.get<{ Querystring: { limit: string } }>('/v1/devices', async ({ query }) =>
    reads.devices(Number(query.limit)),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  sendPort(app.server);
} else {
  // Answers a GET with as many bytes of JSON as the argument says.
  const app = fastify();
  const body = { success: true, data: 'x'.repeat(Number(argument)) };
  app.get('/', async () => {
    computeBesides();
    return body;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  sendPort(app.server);
}
process.on('disconnect', () => process.exit(0));
