import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { nextEventLoopTurn } from '../src/event-loop/next-turn.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const MIB = 2 ** 20;
const form = 'multipart/form-data; boundary=x';

/** A raw connection and everything received on it. */
async function openConnection(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  await once(socket, 'connect');
  return { socket, received: () => received };
}

const head = (path: string, contentType: string, bytes: number, key = ADMIN_KEY) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: ${contentType}\r\n` +
  `content-length: ${bytes}\r\n\r\n`;

test.each([
  ['an unknown key', '/v1/stores', 'application/json', 'plk_unknown', '401'],
  ['an unknown path', '/v1/nowhere', 'application/json', ADMIN_KEY, '404'],
  ['a compressed body', '/v1/stores', 'application/json\r\ncontent-encoding: gzip', ADMIN_KEY, '415'],
  ['a JSON body over the limit', '/v1/stores', 'application/json', ADMIN_KEY, '413'],
  ['a malformed form', '/v1/content/upload', form, ADMIN_KEY, '400'],
])(
  'the rejection of %s reaches a client that sends its whole body first, and its connection stays open',
  async (_, path, contentType, key, status) => {
    const { socket, received } = await openConnection();
    const body = Buffer.alloc(8 * MIB, 'x');
    let broken: Error | null = null;
    socket.on('error', (error) => (broken = error));
    socket.write(head(path, contentType, body.length, key));
    socket.write(body);
    await eventually(() => expect(received()).toMatch(/\}$/));
    expect(received()).toContain(`HTTP/1.1 ${status}`);
    expect(received()).toContain('"success":false');
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(received()).toContain('"status":"ok"'));
    expect(broken).toBeNull();
  },
);

test('a rejected endless body is read long enough for the client to get the response, then cut off', async () => {
  const { socket, received } = await openConnection();
  const ended = new Promise((resolve) => void socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write(head('/v1/content/upload', form, 1024 * MIB, 'plk_unknown'));
  const block = Buffer.alloc(MIB, 'x');
  const more = () => {
    while (socket.writable && socket.write(block)) {}
  };
  socket.on('drain', more);
  more();
  await eventually(() => expect(received()).toContain('HTTP/1.1 401'));
  await eventually(() => expect(received()).toMatch(/\}$/));
  expect(socket.destroyed, 'still there').toBe(false);
  cloud.clock.advance(3000);
  await ended;
  expect(socket.bytesWritten).toBeLessThan(64 * MIB);
});

test('clients that disconnect before their form is read free their upload slots', async () => {
  for (let client = 0; client < 9; client++) {
    const { socket } = await openConnection();
    // Work of other requests, which a request with a key yields to.
    for (let others = 0; others < 20_000; others++) {
      void nextEventLoopTurn();
    }
    const end = once(socket, 'close');
    socket.write(`${head('/v1/content/upload', form, MIB)}--x\r\n`, () => socket.destroy());
    await end;
    await nextEventLoopTurn();
  }
  const answer = await cloud.admin.upload(await png(3, 32, 32), 'after.png');
  expect(answer.status).toBe(201);
});

test('a form with a boundary that is too long is rejected', async () => {
  const boundary = 'x'.repeat(253);
  const refused = await cloud.admin.send('POST', '/v1/content/upload', {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}--\r\n`,
  });
  expect(refused.status).toBe(400);
  expect(refused.error?.details).toEqual([
    { path: 'content-type', message: 'must name a boundary of at most 70 characters' },
  ]);
});

test('a body with too many list entries is rejected before it is parsed', async () => {
  const body = `{"name":"P","mode":"weighted","items":[${'{},'.repeat(340_000)}{}]}`;
  const headers = { 'content-type': 'application/json' };
  const refused = await cloud.admin.send('POST', '/v1/playlists', { headers, body });
  expect(refused.error?.details).toEqual([
    { path: '', message: 'must have at most 25000 fields and list entries' },
  ]);
});

test('a list over its limit gets one problem, and an rrule with a thousand mistakes ten', async () => {
  const items = Array.from({ length: 9_000 }, () => ({ content_id: 'asset_x' }));
  const tooMany = await cloud.admin.post('/v1/playlists', { name: 'P', mode: 'weighted', items });
  expect(tooMany.error?.details).toEqual([{ path: 'items', message: 'must have at most 2000 entries' }]);

  const rules = Array.from({ length: 500 }, () => ({ rrule: 'A;'.repeat(900) }));
  const wrong = await cloud.admin.post('/v1/schedules', { name: '', rules });
  // Of each rule three fields are missing.
  expect(wrong.error?.message).toContain(`and ${500 * (3 + 10)} more`);
});
