import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { Agent, request, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CloudOptions } from '@placard/cloud';
import sharp from 'sharp';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ADMIN_KEY, startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { png } from './support/media.ts';
import { pairScreen } from './support/screen.ts';
import { openSocket } from './support/socket.ts';

let cloud: TestCloud;
const open = async (connectionLimits: CloudOptions['connectionLimits'] = {}) => {
  cloud = await startTestCloud({ connectionLimits });
};
afterEach(() => cloud.close());

interface Line {
  socket: Socket;
  came: () => string;
  /** Whether the cloud has let go of it. */
  over: () => boolean;
}

/** A connection that is written to by hand, and that never ends by itself. */
async function line(text: string, from = '127.0.0.1'): Promise<Line> {
  const port = Number(new URL(cloud.cloud.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let [came, over] = ['', false];
  socket.setEncoding('utf8').on('data', (more: string) => (came += more));
  socket
    .on('error', () => (over = true))
    .on('end', () => (over = true))
    .on('close', () => (over = true));
  await once(socket, 'connect');
  socket.write(text);
  return { socket, came: () => came, over: () => over };
}

const post = (path: string, bytes: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n${more}\r\n{"serial":`;
const get = (path: string, secret?: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\n${secret === undefined ? '' : `authorization: Bearer ${secret}\r\n`}\r\n`;
const authorized = `authorization: Bearer ${ADMIN_KEY}\r\n`;
/** Lets time pass until it is so: what is late is looked for every 5 s. */
const passing = (holds: () => void) =>
  eventually(() => {
    cloud.clock.advance(1000);
    holds();
  });
/** The path of a file that is larger than what the operating system holds of an answer; it takes no room on the disk. */
async function largeFile(): Promise<string> {
  const sha256 = 'ab'.repeat(32);
  const folder = join(cloud.dataDir, 'blobs', sha256.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, sha256), '');
  await truncate(join(folder, sha256), 256 * 2 ** 20);
  return `/cdn/${sha256}.png`;
}
/** A connection that asked for something, of which it takes only the beginning. */
async function untaken(path: string, from?: string): Promise<Line> {
  const one = await line(get(path), from);
  await once(one.socket, 'data');
  one.socket.pause();
  return one;
}
/** What the program holds once all is gone that nobody uses. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
const answered = (one: Line) => eventually(() => expect(one.came()).toMatch(/\r\n\r\n./));
/** Sockets of this process, of both ends. */
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('deadlines', () => {
  test('a head that does not come to its end is refused', async () => {
    await open({ headMs: 300 });
    const silent = await line('');
    const slow = await line('GET /healthz HTTP/1.1\r\nhost:');
    for (const one of [silent, slow]) await eventually(() => expect(one.over()).toBe(true));
    expect(slow.came()).toContain('did not come in time');
  });

  test.each([
    ['without a key', '/v1/player/pairing', ''],
    ['with a key', '/v1/stores', authorized],
    ['where a form is expected', '/v1/content/upload', authorized],
  ])('a half-sent body %s is given up, one on a slow line is not', async (_, path, key) => {
    await open();
    const half = await line(post(path, 100_000, key));
    const slow = await line(post(path, 100_000, key));
    slow.socket.write('x'.repeat(80_000));
    await passing(() => expect(half.over()).toBe(true));
    expect(slow.over(), '80 kB take 20 s more on the slowest line').toBe(false);
    await passing(() => expect(slow.over()).toBe(true));
  });

  test('a body in parts of one byte has the time of its bytes, not of what they take on the wire', async () => {
    await open();
    const tiny = await line(
      'POST /v1/player/pairing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
        `transfer-encoding: chunked\r\n\r\n${'1\r\n{\r\n'.repeat(30_000)}`,
    );
    const slow = await line(`${post('/v1/player/pairing', 100_000)}${'x'.repeat(80_000)}`);
    await passing(() => expect(tiny.over()).toBe(true));
    expect(slow.over()).toBe(false);
  });

  test('an upload has its own deadline', async () => {
    await open();
    const upload = await line(
      `POST /v1/content/upload HTTP/1.1\r\nhost: x\r\n${authorized}content-type: multipart/form-data; boundary=x\r\n` +
        'content-length: 1000000\r\n\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n',
    );
    const half = await line(post('/v1/stores', 1000, authorized));
    await passing(() => expect(half.over()).toBe(true));
    expect(upload.over()).toBe(false);
  });

  test('an answer of which nothing is taken is given up', async () => {
    await open();
    const picture = await sharp(randomBytes(3000 * 3000 * 3), {
      raw: { width: 3000, height: 3000, channels: 3 },
    })
      .png()
      .toBuffer();
    const { data } = await cloud.admin.upload(picture, 'large.png');
    const idle = await line('');
    idle.socket.pause();
    idle.socket.write(get(new URL(data.url).pathname));
    const before = sockets();
    await eventually(() => {
      cloud.clock.advance(5000);
      expect(sockets()).toBeLessThan(before);
    });
  });
});

test.each([
  ['', ''],
  [', whatever they expect', 'expect: x\r\n'],
  [', also when they wait to be asked for a body', 'expect: 100-continue\r\n'],
])('a connection may have 2 requests that are not answered%s', async (_, more) => {
  await open();
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const few = await line(get('/healthz').repeat(2));
  await eventually(() => expect(few.came().match(/HTTP\/1.1 200/g)).toHaveLength(2));
  // With one more it is dropped, and they are not worked on.
  const many = await line(get('/healthz').repeat(3));
  await eventually(() => expect(many.over()).toBe(true));
  expect(many.came().match(/HTTP\/1.1 200/g)?.length ?? 0).toBeLessThanOrEqual(2);
  few.socket.write(get('/healthz'));
  await eventually(() => expect(few.came().match(/HTTP\/1.1 200/g)).toHaveLength(3));
});

test('the body of a request that is answered is not held until its answer is taken', async () => {
  await open();
  const path = await largeFile();
  const lines = await Promise.all(Array.from({ length: 12 }, () => untaken(path)));
  const text = JSON.stringify({ name: 'x'.repeat(1_000_000) });
  const ended = vi.spyOn(ServerResponse.prototype, 'end');
  onTestFinished(() => ended.mockRestore());
  const before = heapBytes();
  for (const { socket } of lines)
    socket.write(
      `POST /v1/stores HTTP/1.1\r\nhost: x\r\n${authorized}content-type: application/json\r\n` +
        `content-length: ${text.length}\r\n\r\n${text}`,
    );
  await eventually(() => expect(ended.mock.calls.length).toBeGreaterThanOrEqual(lines.length));
  // What it was called with is held by it.
  ended.mockClear();
  expect(heapBytes() - before).toBeLessThan(4 * 2 ** 20);
  expect(lines.some((one) => one.over())).toBe(false);
});

test('of the requests of a key that come at the same time, a turn of the event loop has one', async () => {
  await open();
  const lines = await Promise.all(Array.from({ length: 10 }, () => line(get('/v1/organization', ADMIN_KEY))));
  for (const one of lines) await answered(one);
  let turns = 0;
  const passed = () => {
    turns += 1;
    next = setImmediate(passed);
  };
  let next = setImmediate(passed);
  const answeredIn: number[] = [];
  const ended = vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (this: ServerResponse) {
    answeredIn.push(turns);
    this.destroy();
    return this;
  });
  onTestFinished(() => {
    ended.mockRestore();
    clearImmediate(next);
  });
  for (const { socket } of lines) socket.write(get('/v1/organization', ADMIN_KEY));
  await eventually(() => expect(answeredIn).toHaveLength(lines.length));
  expect(new Set(answeredIn).size).toBe(lines.length);
});

test('a manifest that is sent in slices is whole', async () => {
  await open();
  const screen = await pairScreen(cloud);
  const { id } = (await cloud.admin.upload(await png(1), 'a.png')).data;
  const items = Array.from({ length: 1000 }, () => ({ content_id: id, duration: 10 }));
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'Long', items })).data;
  const targets = [{ type: 'device', id: screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  const { data, headers } = await screen.api.get('/v1/player/manifest');
  expect(data.playlists[0].items).toHaveLength(1000);
  const length = Number(headers.get('content-length'));
  expect(length).toBeGreaterThan(65_536);
  const head = await screen.api.raw('/v1/player/manifest', { method: 'HEAD' });
  expect(Number(head.headers.get('content-length'))).toBe(length);
});

describe('after a refusal the connection is gone, though its client does not hang up', () => {
  test.each([
    ['no HTTP', 'nonsense\r\n\r\n', '400'],
    [
      'an upgrade without a token',
      `${get('/v1/player/socket').trim()}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      '401',
    ],
    [
      'an upgrade elsewhere',
      `${get('/else').trim()}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      '404',
    ],
  ])('%s', async (_, text, status) => {
    await open();
    const before = sockets();
    const refused = await line(text);
    await answered(refused);
    expect(refused.came()).toContain(`HTTP/1.1 ${status}`);
    expect(refused.came()).toContain('"success":false');
    cloud.clock.advance(3000);
    await eventually(() => expect(sockets(), 'our end alone').toBe(before + 1));
  });
});

const isOpen = (screen: Awaited<ReturnType<typeof openSocket>>) =>
  screen.socket.readyState === screen.socket.OPEN;

describe('strangers push out each other, and nobody else', () => {
  test('from one address: a screen behind it keeps its connections, and another one gets in', async () => {
    await open({ perAddress: 10 });
    const [first, second] = [await pairScreen(cloud), await pairScreen(cloud)];
    const held = await openSocket(cloud.cloud.url, first.token);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${first.token}` };
        const asked = request(`${cloud.cloud.url}/v1/player/manifest`, { agent, headers }, (response) => {
          response
            .resume()
            .on('end', () => resolve({ status: response.statusCode, reused: asked.reusedSocket }));
        });
        asked.on('error', reject).end();
      });
    expect(await ask()).toEqual({ status: 200, reused: false });

    const flood: Line[] = [];
    for (let i = 0; i < 40; i++) flood.push(await line(post('/v1/player/pairing', 1000)));
    await eventually(() => expect(flood.filter((one) => !one.over()).length).toBeLessThanOrEqual(10));
    expect(
      flood.slice(-9).every((one) => !one.over()),
      'the oldest go',
    ).toBe(true);
    expect(isOpen(held)).toBe(true);
    expect(await ask()).toEqual({ status: 200, reused: true });
    expect((await second.api.get('/v1/player/manifest')).status).toBe(200);
    const elsewhere = await line(get('/healthz'), '127.0.0.9');
    await answered(elsewhere);
    agent.destroy();
    held.close();
  });

  test('from everywhere', async () => {
    await open({ strangers: 10 });
    const screens = [await pairScreen(cloud), await pairScreen(cloud)];
    const held = await Promise.all(screens.map(({ token }) => openSocket(cloud.cloud.url, token)));
    const flood: Line[] = [];
    for (let i = 0; i < 30; i++) flood.push(await line('GET / HTTP/1.1\r\n', `127.0.1.${i + 1}`));
    await eventually(() => expect(flood.filter((one) => !one.over()).length).toBeLessThanOrEqual(10));
    expect(held.every(isOpen)).toBe(true);
    expect((await cloud.admin.get('/v1/devices')).data.map((each: { id: string }) => each.id)).toHaveLength(
      2,
    );
    for (const one of held) one.close();
  });

  test('of addresses that have many and take no answers, and not who has one and is still sending', async () => {
    await open({ strangers: 12 });
    const path = await largeFile();
    for (const from of ['127.0.2.1', '127.0.2.2']) for (let i = 0; i < 6; i++) await untaken(path, from);
    const honest = await line('GET /healthz HTTP/1.1\r\n', '127.0.2.9');
    const flood: Line[] = [];
    for (let i = 0; i < 20; i++) flood.push(await line('', `127.0.2.${1 + (i % 2)}`));
    await eventually(() => expect(flood.filter((one) => one.over()).length).toBeGreaterThanOrEqual(15));
    honest.socket.write('host: x\r\n\r\n');
    await answered(honest);
    expect(honest.came()).toContain('"status":"ok"');
  });

  test('one key or device has so many connections, and keeps the newest', async () => {
    await open({ perCaller: 5 });
    const key = await cloud.key('Read');
    const lines: Line[] = [];
    for (let i = 0; i < 8; i++) {
      lines.push(await line(get('/v1/organization', key)));
      await answered(lines.at(-1)!);
    }
    await eventually(() =>
      expect(lines.map((one) => one.over())).toEqual([
        ...Array<boolean>(3).fill(true),
        ...Array<boolean>(5).fill(false),
      ]),
    );
  });
});
