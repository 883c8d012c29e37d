/** Run as a separate process: the least that a server must do for a request, as the limit of what ours can reach. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { WebSocketServer } from 'ws';

const [kind = '', bytes = '0'] = process.argv.slice(2);
/** Sent to a socket that has connected, and to all when one of them sends anything. */
const MESSAGE = JSON.stringify({ type: 'manifest_changed', revision: 'x'.repeat(32) });

function sendPort(server: { address(): AddressInfo | string | null }): void {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : 0);
}

if (kind === 'http') {
  // Parses a JSON body and answers with a small one.
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":{}}');
    });
  });
  server.listen(0, '127.0.0.1', () => sendPort(server));
} else if (kind === 'ws') {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => {
    socket.send(MESSAGE);
    socket.on('message', () => {
      for (const client of server.clients) {
        client.send(MESSAGE);
      }
    });
  });
  server.on('listening', () => sendPort(server));
} else {
  // Answers a GET with this many bytes of JSON.
  const app = fastify();
  const body = { success: true, data: 'x'.repeat(Number(bytes)) };
  app.get('/', async () => body);
  await app.listen({ port: 0, host: '127.0.0.1' });
  sendPort(app.server);
}
process.on('disconnect', () => process.exit(0));
