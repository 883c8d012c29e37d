import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { operationsOf } from '@placard/protocol/api';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../../../test/support/eventually.ts';
import type { RecognizedDevice } from './authenticate.ts';
import { createDirectRequests } from './direct-requests.ts';
import type { DirectRequestsDeps } from './direct-requests.ts';
import { directRoute, route } from './operation-route.ts';

const PATH = '/v1/player/things';
const rateLimit = { allowed: true, limit: 9, remaining: 8, resetSeconds: 7 };
const define = operationsOf('things');
const access = 'Device' as const;
const data = z.unknown();
const example = { data: null };
const sendThings = define('sendThings', 'POST', PATH, {
  summary: '',
  access,
  body: z.unknown(),
  data,
  example,
});
const others = define('others', 'POST', `${PATH}/others`, { summary: '', access, data, example });

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

const readAll = async (request: IncomingMessage) => (await request.setEncoding('utf8').toArray()).join('');

/** A server that answers directly with what it has received, and otherwise says that the framework has received it. */
async function startServer(deps: Partial<DirectRequestsDeps> = {}) {
  const marked: string[] = [];
  const logged: string[] = [];
  const measured: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void logged.push(line) });
  const listen = createDirectRequests({
    routes: [
      directRoute(sendThings, async ({ deviceId, body }) => ({ data: { deviceId, body } })),
      route(others, async () => ({ data: null })),
    ],
    authenticator: { recognizeDevice: () => ({ deviceId: 'dev_1', rateLimit }) },
    connections: {
      startBodyDeadline: () => void marked.push('deadline'),
      recordBodyBytes: (_request, bytes) => void marked.push(`${bytes} bytes`),
      markAuthenticated: (_socket, caller) => void marked.push(caller),
    },
    clock: { nowMs: () => 0 },
    log,
    measurements: { requestFinished: (...counted) => void measured.push(counted.slice(0, 2).join(' ')) },
    publicUrl: () => 'http://x',
    isHttps: () => false,
    isDraining: () => false,
    isClosing: () => false,
    ...deps,
  });
  const server = createServer((request, response) =>
    listen(request, response, () => {
      void readAll(request).then((body) => response.end(`framework: ${body}`));
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close().closeAllConnections());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return { port, marked, logged, measured };
}

const DEFAULT_HEAD = ['host: x', 'content-type: application/json', 'content-length: 5'];
async function send(port: number, firstLine: string, head = DEFAULT_HEAD, body = '"abc"'): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  socket.write(`${[firstLine, ...head].join('\r\n')}\r\n\r\n${body}`);
  await eventually(() => expect(received).toContain('abc'));
  return received;
}
const POST = `POST ${PATH} HTTP/1.1`;

test('an ordinary request is answered without the framework', async () => {
  const { port, marked, logged, measured } = await startServer();
  const answer = await send(port, POST, [...DEFAULT_HEAD, 'x-request-id: mine']);
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\nx-request-id: mine\r\n/);
  expect(answer).toContain('{"success":true,"data":{"deviceId":"dev_1","body":"abc"}}');
  expect(answer).toContain('ratelimit-remaining: 8');
  expect(marked).toEqual(['deadline', 'device dev_1', '5 bytes']);
  await eventually(() => expect(logged).toHaveLength(1));
  expect(measured).toEqual(['sendThings 200']);
  expect(JSON.parse(logged[0]!)).toMatchObject({
    request_id: 'mine',
    method: 'POST',
    route: PATH,
    status: 200,
  });
});

const withDefaults = (...more: string[]) => [...DEFAULT_HEAD, ...more];
test.each([
  ['another method', `PUT ${PATH} HTTP/1.1`, DEFAULT_HEAD],
  ['another path', `POST ${PATH}/ HTTP/1.1`, DEFAULT_HEAD],
  ['a query', `POST ${PATH}?a=1 HTTP/1.1`, DEFAULT_HEAD],
  ['a route that is not direct', `POST ${PATH}/others HTTP/1.1`, DEFAULT_HEAD],
  ['another content type', POST, ['host: x', 'content-type: text/plain', 'content-length: 5']],
  ['an unusual content type', POST, ['host: x', 'content-type: application/json;x=y', 'content-length: 5']],
  ['no content type', POST, ['host: x', 'content-length: 5']],
  ['a compressed body', POST, withDefaults('content-encoding: gzip')],
  ['an expectation', POST, withDefaults('expect: 100-continue')],
  ['a web page that calls', POST, withDefaults('origin: http://x')],
  ['no host', 'POST /v1/player/things HTTP/1.0', DEFAULT_HEAD.slice(1)],
])('a request with %s is left to the framework, unread', async (_, firstLine, head) => {
  const { port, marked } = await startServer();
  expect(await send(port, firstLine, head)).toContain('framework: "abc"');
  expect(marked).toEqual([]);
});

test('a body in chunks, and a large one, are left to the framework', async () => {
  const { port } = await startServer();
  const chunked = ['host: x', 'content-type: application/json', 'transfer-encoding: chunked'];
  expect(await send(port, POST, chunked, '5\r\n"abc"\r\n0\r\n\r\n')).toContain('framework: "abc"');
  const large = ['host: x', 'content-type: application/json', 'content-length: 16385'];
  expect(await send(port, POST, large, `"abc"${' '.repeat(16_380)}`)).toContain('framework: "abc"');
});

test.each([
  ['the device is not recognized', { authenticator: { recognizeDevice: () => null } }],
  ['it is not recognized later', { authenticator: { recognizeDevice: async () => null } }],
  [
    'the look-up fails',
    { authenticator: { recognizeDevice: () => Promise.reject<RecognizedDevice>(new Error('no database')) } },
  ],
  ['the server drains', { isDraining: () => true }],
  ['the server closes', { isClosing: () => true }],
])('a request is left to the framework, unread, when %s', async (_, deps) => {
  const { port } = await startServer(deps);
  expect(await send(port, POST)).toContain('framework: "abc"');
});

test('a device that is looked up in a database is answered as well', async () => {
  const { port } = await startServer({
    authenticator: { recognizeDevice: async () => ({ deviceId: 'dev_2', rateLimit }) },
  });
  expect(await send(port, POST)).toContain('"deviceId":"dev_2"');
});

test('a client that disconnects before the end of its body, or before its answer, harms nobody', async () => {
  const { promise: handled, resolve: finish } = Promise.withResolvers<void>();
  let begun = 0;
  const slow = directRoute(sendThings, async ({ body }) => {
    begun += 1;
    await handled;
    return { data: body };
  });
  const { port, logged, marked } = await startServer({ routes: [slow] });
  const leave = async (body: string, until: () => void) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${[POST, ...DEFAULT_HEAD].join('\r\n')}\r\n\r\n${body}`);
    await eventually(until);
    socket.destroy();
  };
  await leave('"a', () => expect(marked).toContain('2 bytes'));
  await eventually(() => expect(logged.join('')).toContain('request.aborted'));
  await leave('"abc"', () => expect(begun).toBe(1));
  finish();
  expect(await send(port, POST)).toContain('"data":"abc"');
});
