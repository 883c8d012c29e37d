import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAddresses } from './addresses.ts';
import { createConnections, DEFAULT_CONNECTION_LIMITS } from './connections.ts';
import type { ConnectionLimits } from './connections.ts';

const MIB = 2 ** 20;
let nowMs = 0;

const create = (limits: Partial<ConnectionLimits> = {}) =>
  createConnections({
    clock: { nowMs: () => nowMs, setTimer: () => () => undefined },
    addresses: createAddresses([]),
    limits: { ...DEFAULT_CONNECTION_LIMITS, ...limits },
    log: pino({ enabled: false }),
  });

/** A server whose connections are watched, and how to get one to it. */
async function serve(connections: ReturnType<typeof create>, handle: RequestListener) {
  const server = createServer();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  connections.watch(server, handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (text: string): Socket => {
    // `listen` with a port gives an address with a port.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined).write(text);
    return socket;
  };
}

test('the body of a GET is thrown away at once, though its answer is not there yet', async () => {
  const asked: IncomingMessage[] = [];
  const open = await serve(create(), (request) => asked.push(request));
  open('GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n').write(Buffer.alloc(1_000_000));
  await vi.waitFor(() => expect(asked[0]?.complete).toBe(true), { timeout: 20_000 });
});

test.each([
  ['one address does', { untakenBytes: 48 * MIB }],
  ['strangers do', { untakenOfStrangersBytes: 48 * MIB, untakenBytes: 1024 * MIB }],
])('of answers that %s not take, those with most left go when all are too large', async (_, limits) => {
  const connections = create(limits);
  const asked: IncomingMessage[] = [];
  const open = await serve(connections, (request, response) => {
    asked.push(request);
    response.end(Buffer.alloc(Number(request.url?.slice(1)) * MIB));
  });
  // The second answer of the first connection waits behind the first.
  open('GET /16 HTTP/1.1\r\nhost: x\r\n\r\nGET /24 HTTP/1.1\r\nhost: x\r\n\r\n').pause();
  await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 20_000 });
  connections.sweep();
  expect(asked[0]?.socket.destroyed).toBe(false);
  open('GET /32 HTTP/1.1\r\nhost: x\r\n\r\n').pause();
  await vi.waitFor(() => expect(asked).toHaveLength(3), { timeout: 20_000 });
  connections.sweep();
  expect(asked.map(({ socket }) => socket.destroyed)).toEqual([true, true, false]);
});

test('an answer is given up of which less than 4 kB a second is taken after the first minute', () => {
  const connections = create();
  const server = new EventEmitter();
  // Only its events are listened to.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  connections.watch(server as Server, () => undefined);
  const lines = [3, 5].map((bytesPerMs) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: '192.0.2.1',
      bytesWritten: 65_536,
      writableLength: 65_536,
      destroyed: false,
      destroy: () => (socket.destroyed = true),
    });
    server.emit('connection', socket);
    return { socket, bytesPerMs };
  });
  const droppedAfter = (seconds: number) => {
    for (let i = 0; i < seconds; i += 5) {
      nowMs += 5000;
      for (const { socket, bytesPerMs } of lines) socket.bytesWritten += 5000 * bytesPerMs;
      connections.sweep();
    }
    return lines.map(({ socket }) => socket.destroyed);
  };
  expect(droppedAfter(65)).toEqual([false, false]);
  expect(droppedAfter(600)).toEqual([true, false]);
});
