import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { createClientAddresses } from './client-address.ts';
import { createConnections, DEFAULT_CONNECTION_LIMITS } from './connections.ts';
import type { ConnectionLimits } from './connections.ts';

const MIB = 2 ** 20;
let nowMs = 0;

const create = (limits: Partial<ConnectionLimits> = {}) =>
  createConnections({
    clock: { nowMs: () => nowMs, setTimer: () => () => undefined },
    clientAddresses: createClientAddresses([]),
    limits: { ...DEFAULT_CONNECTION_LIMITS, ...limits },
    log: pino({ enabled: false }),
  });

/** Starts a server with tracked connections; returns a function that connects and sends a request. */
async function serve(connections: ReturnType<typeof create>, handle: RequestListener) {
  const server = createServer();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  connections.watch(server, handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (text: string): Socket => {
    // After `listen` with a port, `address()` is never a string.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined).write(text);
    return socket;
  };
}

test('the body of a GET request is discarded before its response is ready', async () => {
  const requests: IncomingMessage[] = [];
  const connectClient = await serve(create(), (request) => requests.push(request));
  connectClient('GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n').write(
    Buffer.alloc(1_000_000),
  );
  await eventually(() => expect(requests[0]?.complete).toBe(true));
});

test('an open connection does not keep the request that it has answered', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const requests: WeakRef<IncomingMessage>[] = [];
  const connectClient = await serve(create(), (request, response) => {
    requests.push(new WeakRef(request));
    request.resume().on('end', () => response.end('ok'));
  });
  const socket = connectClient('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
  await once(socket, 'data');
  await eventually(() => {
    collectGarbage();
    // A failed expectation must not hold the request itself.
    expect(requests.map((each) => each.deref() === undefined)).toEqual([true]);
  });
  expect(socket.destroyed).toBe(false);
});

test.each([
  ['one address', { unsentBytes: 48 * MIB }],
  ['all unauthenticated clients', { unsentAnonymousBytes: 48 * MIB, unsentBytes: 1024 * MIB }],
])(
  'when the unread responses of %s exceed the limit, the connections with most unsent bytes are dropped',
  async (_, limits) => {
    const connections = create(limits);
    const requests: IncomingMessage[] = [];
    const connectClient = await serve(connections, (request, response) => {
      requests.push(request);
      response.end(Buffer.alloc(Number(request.url?.slice(1)) * MIB));
    });
    // Pipelined: the second response of the first connection is queued behind the first.
    connectClient('GET /16 HTTP/1.1\r\nhost: x\r\n\r\nGET /24 HTTP/1.1\r\nhost: x\r\n\r\n').pause();
    await eventually(() => expect(requests).toHaveLength(2));
    await connections.sweep();
    expect(requests[0]?.socket.destroyed).toBe(false);
    connectClient('GET /32 HTTP/1.1\r\nhost: x\r\n\r\n').pause();
    await eventually(() => expect(requests).toHaveLength(3));
    await connections.sweep();
    expect(requests.map(({ socket }) => socket.destroyed)).toEqual([true, true, false]);
  },
);

/** Emits the events of a server whose connections are tracked. */
function emitterOf(connections: ReturnType<typeof create>): EventEmitter {
  const server = new EventEmitter();
  // Only the events of the server are used.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  connections.watch(server as Server, () => undefined);
  return server;
}

const markAuthenticated = (
  connections: ReturnType<typeof create>,
  socket: EventEmitter,
  caller: string,
): void =>
  // Only what the tracking has left on it is used.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  connections.markAuthenticated(socket as Socket, caller);

test('a connection is dropped when its client reads less than 4 kB/s after the first minute', async () => {
  const connections = create();
  const server = emitterOf(connections);
  const clients = [3, 5].map((bytesPerMs) => {
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
  const isDroppedAfter = async (seconds: number) => {
    for (let i = 0; i < seconds; i += 5) {
      nowMs += 5000;
      for (const { socket, bytesPerMs } of clients) {
        socket.bytesWritten += 5000 * bytesPerMs;
      }
      await connections.sweep();
    }
    return clients.map(({ socket }) => socket.destroyed);
  };
  expect(await isDroppedAfter(65)).toEqual([false, false]);
  expect(await isDroppedAfter(600)).toEqual([true, false]);
});

test('a sweep looks at some connections in a turn, and closer only at those with something unsent', async () => {
  const connections = create();
  const server = emitterOf(connections);
  const looks = { unsent: 0, sent: 0 };
  for (let n = 0; n < 10_000; n++) {
    const isUnsent = n === 9_999;
    const socket = Object.defineProperties(new EventEmitter(), {
      remoteAddress: { value: '192.0.2.1' },
      writableLength: { get: () => (looks.unsent++, isUnsent ? 1 : 0) },
      bytesWritten: { get: () => (looks.sent++, 1) },
    });
    server.emit('connection', socket);
    markAuthenticated(connections, socket, `device dev_${n}`);
  }
  const state = { isDone: false };
  const swept = connections.sweep().finally(() => (state.isDone = true));
  let turns = 0;
  let most = 0;
  for (let before = 0; !state.isDone; before = looks.unsent) {
    most = Math.max(most, looks.unsent - before);
    turns += 1;
    await setImmediate();
  }
  await swept;
  expect(turns).toBeGreaterThanOrEqual(10);
  expect(most).toBeLessThan(3_000);
  expect(looks.sent).toBe(1);
});

test('above the limit of unauthenticated connections, the address with most loses one', () => {
  const connections = create({ anonymous: 3 });
  const server = emitterOf(connections);
  const open = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroyed: false,
      destroy: () => (socket.destroyed = true),
    });
    server.emit('connection', socket);
    return socket;
  };
  const device = [open('192.0.2.1'), open('192.0.2.1')];
  device.forEach((socket) => markAuthenticated(connections, socket, 'device dev_1'));
  const others = ['192.0.2.2', '192.0.2.3', '192.0.2.3', '192.0.2.4'].map(open);
  expect([...device, ...others].map(({ destroyed }) => destroyed)).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
  ]);
});
