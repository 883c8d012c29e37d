import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerMessage } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createConnection, send, unpair } from './device-connection.ts';
import type { DeviceConnection } from './device-connection.ts';

/** Both ends of an open socket. */
async function openConnection(): Promise<{ connection: DeviceConnection; client: WebSocket }> {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = new Promise<DeviceConnection>((resolve) => {
    server.on('upgrade', (request, stream, head) =>
      sockets.handleUpgrade(request, stream, head, (socket) =>
        resolve(createConnection(socket, stream, null)),
      ),
    );
  });
  // With a port it is an address.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  await once(client, 'open');
  return { connection: await accepted, client };
}

const withRevision = (revision: string): ServerMessage => ({ type: 'manifest_changed', revision });

/** A message of this many bytes, with characters of two bytes in it. */
function messageOf(bytes: number): ServerMessage {
  const missing = bytes - Buffer.byteLength(JSON.stringify(withRevision('üü')));
  return withRevision(`üü${'x'.repeat(missing)}`);
}

test('messages of any length arrive whole and in order, and the close after them', async () => {
  const { connection, client } = await openConnection();
  const messages = [60, 125, 126, 127, 65_535, 65_536, 100_000, 61].map(messageOf);
  const received: unknown[] = [];
  client.on('message', (bytes: Buffer, isBinary) =>
    received.push(isBinary ? 'binary' : JSON.parse(bytes.toString('utf8'))),
  );
  const closed = once(client, 'close');
  for (const message of messages) {
    send(connection, message);
  }
  unpair(connection);
  send(connection, messageOf(60));
  expect((await closed)[0]).toBe(4401);
  expect(received).toEqual([...messages, { type: 'unpaired' }]);
});

test('messages wait for the welcome', async () => {
  const { connection } = await openConnection();
  const held = { ...connection, queuedBeforeWelcome: [] };
  send(held, messageOf(60));
  expect(held.queuedBeforeWelcome).toEqual([messageOf(60)]);
});
