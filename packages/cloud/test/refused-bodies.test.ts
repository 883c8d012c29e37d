import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ADMIN_KEY, startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import { turn } from '../src/store/turn.ts';
import { eventually } from './support/eventually.ts';
import { png } from './support/media.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const MIB = 2 ** 20;
const form = 'multipart/form-data; boundary=x';

/** A connection that is written to by hand, with all that came back. */
async function openLine(): Promise<{ socket: Socket; came: () => string }> {
  const socket = connect(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let came = '';
  socket.setEncoding('utf8').on('data', (text: string) => (came += text));
  await once(socket, 'connect');
  return { socket, came: () => came };
}

const head = (path: string, contentType: string, bytes: number, key = ADMIN_KEY) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: ${contentType}\r\n` +
  `content-length: ${bytes}\r\n\r\n`;

test.each([
  ['a key that is not known', '/v1/stores', 'application/json', 'plk_unknown', '401'],
  ['an address that does not exist', '/v1/nowhere', 'application/json', ADMIN_KEY, '404'],
  ['a packed body', '/v1/stores', 'application/json\r\ncontent-encoding: gzip', ADMIN_KEY, '415'],
  ['a JSON body over the limit', '/v1/stores', 'application/json', ADMIN_KEY, '413'],
  ['a form that is none', '/v1/content/upload', form, ADMIN_KEY, '400'],
])(
  '%s is told to a client that sends its whole body first, and its connection goes on',
  async (_, path, contentType, key, status) => {
    const { socket, came } = await openLine();
    const body = Buffer.alloc(8 * MIB, 'x');
    let broken: Error | null = null;
    socket.on('error', (error) => (broken = error));
    socket.write(head(path, contentType, body.length, key));
    socket.write(body);
    await eventually(() => expect(came()).toMatch(/\}$/));
    expect(came()).toContain(`HTTP/1.1 ${status}`);
    expect(came()).toContain('"success":false');
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(came()).toContain('"status":"ok"'));
    expect(broken).toBeNull();
  },
);

test('a refused body without end is not read for ever, but long enough that its client sees why', async () => {
  const { socket, came } = await openLine();
  const ended = new Promise((resolve) => void socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write(head('/v1/content/upload', form, 1024 * MIB, 'plk_unknown'));
  const block = Buffer.alloc(MIB, 'x');
  const more = () => {
    while (socket.writable && socket.write(block));
  };
  socket.on('drain', more);
  more();
  await eventually(() => expect(came()).toContain('HTTP/1.1 401'));
  await eventually(() => expect(came()).toMatch(/\}$/));
  expect(socket.destroyed, 'still there').toBe(false);
  cloud.clock.advance(3000);
  await ended;
  expect(socket.bytesWritten).toBeLessThan(64 * MIB);
});

test('clients that leave before their form is read leave their places to others', async () => {
  for (let client = 0; client < 9; client++) {
    const { socket } = await openLine();
    // Work of others, which a request of a key waits for.
    for (let others = 0; others < 20_000; others++) void turn();
    const end = once(socket, 'close');
    socket.write(`${head('/v1/content/upload', form, MIB)}--x\r\n`, () => socket.destroy());
    await end;
    await turn();
  }
  const answer = await cloud.admin.upload(await png(3, 32, 32), 'after.png');
  expect(answer.status).toBe(201);
});

test('a form with a boundary that is too long is told so', async () => {
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

test('a body with more list entries than any request has is refused before they are looked at', async () => {
  const body = `{"name":"P","mode":"weighted","items":[${'{},'.repeat(340_000)}{}]}`;
  const headers = { 'content-type': 'application/json' };
  const refused = await cloud.admin.send('POST', '/v1/playlists', { headers, body });
  expect(refused.error?.details).toEqual([
    { path: '', message: 'must have at most 20000 fields and list entries' },
  ]);
});

test('a list over its limit is refused for that, and an rrule of a thousand mistakes for ten of them', async () => {
  const items = Array.from({ length: 9_000 }, () => ({ content_id: 'asset_x' }));
  const tooMany = await cloud.admin.post('/v1/playlists', { name: 'P', mode: 'weighted', items });
  expect(tooMany.error?.details).toEqual([{ path: 'items', message: 'must have at most 2000 entries' }]);

  const rules = Array.from({ length: 500 }, () => ({ rrule: 'A;'.repeat(900) }));
  const wrong = await cloud.admin.post('/v1/schedules', { name: '', rules });
  // Of each rule three fields are missing.
  expect(wrong.error?.message).toContain(`and ${500 * (3 + 10)} more`);
});
