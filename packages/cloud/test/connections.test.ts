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
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

let cloud: TestCloud;
const open = async (connectionLimits: CloudOptions['connectionLimits'] = {}) => {
  cloud = await startTestCloud({ connectionLimits });
};
afterEach(() => cloud.close());

interface RawConnection {
  socket: Socket;
  received: () => string;
  /** Whether the cloud has closed the connection. */
  isClosed: () => boolean;
}

/** Opens a raw TCP connection that never closes by itself. */
async function openRawConnection(text: string, from = '127.0.0.1'): Promise<RawConnection> {
  const port = Number(new URL(cloud.cloud.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let [received, isClosed] = ['', false];
  socket.setEncoding('utf8').on('data', (more: string) => (received += more));
  socket
    .on('error', () => (isClosed = true))
    .on('end', () => (isClosed = true))
    .on('close', () => (isClosed = true));
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received, isClosed: () => isClosed };
}

const post = (path: string, bytes: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n${more}\r\n{"serial":`;
const get = (path: string, secret?: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\n${secret === undefined ? '' : `authorization: Bearer ${secret}\r\n`}\r\n`;
const authorized = `authorization: Bearer ${ADMIN_KEY}\r\n`;
/** Advances the clock until the condition holds; the cloud checks for late connections every 5 s. */
const advanceUntil = (holds: () => void) =>
  eventually(() => {
    cloud.clock.advance(1000);
    holds();
  });
/** The path of a file that is larger than the send buffer of the operating system; sparse, so it takes no disk space. */
async function largeFile(): Promise<string> {
  const sha256 = 'ab'.repeat(32);
  const folder = join(cloud.dataDir, 'blobs', sha256.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, sha256), '');
  await truncate(join(folder, sha256), 256 * 2 ** 20);
  return `/cdn/${sha256}.png`;
}
/** A connection that requests a file and reads only the beginning of the response. */
async function openUnreadResponse(path: string, from?: string): Promise<RawConnection> {
  const one = await openRawConnection(get(path), from);
  await once(one.socket, 'data');
  one.socket.pause();
  return one;
}
/** Heap size after garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
const waitForResponse = (one: RawConnection) => eventually(() => expect(one.received()).toMatch(/\r\n\r\n./));
/** Connections to a database are sockets as well, and answers wait for it. */
const isOnPostgres = inject('postgres') !== undefined;
/** Number of open sockets of this process, both ends of each connection. */
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('deadlines', () => {
  test('incomplete request headers are rejected', async () => {
    await open({ headersTimeoutMs: 300 });
    const silent = await openRawConnection('');
    const slow = await openRawConnection('GET /healthz HTTP/1.1\r\nhost:');
    for (const one of [silent, slow]) {
      await eventually(() => expect(one.isClosed()).toBe(true));
    }
    expect(slow.received()).toContain('did not arrive in time');
  });

  test.each([
    ['without a key', '/v1/player/pairing', ''],
    ['with a key', '/v1/stores', authorized],
    ['on an upload route', '/v1/content/upload', authorized],
  ])('an incomplete body %s times out, one over a slow network does not', async (_, path, key) => {
    await open();
    const half = await openRawConnection(post(path, 100_000, key));
    const slow = await openRawConnection(post(path, 100_000, key));
    slow.socket.write('x'.repeat(80_000));
    await advanceUntil(() => expect(half.isClosed()).toBe(true));
    expect(slow.isClosed(), '80 kB may take 20 s more at the minimum rate').toBe(false);
    await advanceUntil(() => expect(slow.isClosed()).toBe(true));
  });

  test('the deadline of a body is extended by its content, not by chunk overhead', async () => {
    await open();
    const tiny = await openRawConnection(
      'POST /v1/player/pairing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
        `transfer-encoding: chunked\r\n\r\n${'1\r\n{\r\n'.repeat(30_000)}`,
    );
    const slow = await openRawConnection(`${post('/v1/player/pairing', 100_000)}${'x'.repeat(80_000)}`);
    await advanceUntil(() => expect(tiny.isClosed()).toBe(true));
    expect(slow.isClosed()).toBe(false);
  });

  test('an upload has its own deadline', async () => {
    await open();
    const upload = await openRawConnection(
      `POST /v1/content/upload HTTP/1.1\r\nhost: x\r\n${authorized}content-type: multipart/form-data; boundary=x\r\n` +
        'content-length: 1000000\r\n\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n',
    );
    const half = await openRawConnection(post('/v1/stores', 1000, authorized));
    await advanceUntil(() => expect(half.isClosed()).toBe(true));
    expect(upload.isClosed()).toBe(false);
  });

  test.skipIf(isOnPostgres)(
    'a connection is dropped when its client does not read the response',
    async () => {
      await open();
      const picture = await sharp(randomBytes(3000 * 3000 * 3), {
        raw: { width: 3000, height: 3000, channels: 3 },
      })
        .png()
        .toBuffer();
      const { data } = await cloud.admin.upload(picture, 'large.png');
      const idle = await openRawConnection('');
      idle.socket.pause();
      idle.socket.write(get(new URL(data.url).pathname));
      const before = sockets();
      await eventually(() => {
        cloud.clock.advance(5000);
        expect(sockets()).toBeLessThan(before);
      });
    },
  );
});

test.each([
  ['', ''],
  [', with an unknown Expect header', 'expect: x\r\n'],
  [', also with Expect: 100-continue', 'expect: 100-continue\r\n'],
])('a connection may have 2 unanswered requests%s', async (_, more) => {
  await open();
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const few = await openRawConnection(get('/healthz').repeat(2));
  await eventually(() => expect(few.received().match(/HTTP\/1.1 200/g)).toHaveLength(2));
  // With one more the connection is dropped, and its requests are not processed.
  const many = await openRawConnection(get('/healthz').repeat(3));
  await eventually(() => expect(many.isClosed()).toBe(true));
  expect(many.received().match(/HTTP\/1.1 200/g)?.length ?? 0).toBeLessThanOrEqual(2);
  few.socket.write(get('/healthz'));
  await eventually(() => expect(few.received().match(/HTTP\/1.1 200/g)).toHaveLength(3));
});

test('the body of a request is released before its response is read', async () => {
  await open();
  const path = await largeFile();
  const lines = await Promise.all(Array.from({ length: 12 }, () => openUnreadResponse(path)));
  const text = JSON.stringify({ name: 'x'.repeat(1_000_000) });
  const ended = vi.spyOn(ServerResponse.prototype, 'end');
  onTestFinished(() => ended.mockRestore());
  const before = heapBytes();
  for (const { socket } of lines) {
    socket.write(
      `POST /v1/stores HTTP/1.1\r\nhost: x\r\n${authorized}content-type: application/json\r\n` +
        `content-length: ${text.length}\r\n\r\n${text}`,
    );
  }
  await eventually(() => expect(ended.mock.calls.length).toBeGreaterThanOrEqual(lines.length));
  // The mock holds its arguments.
  ended.mockClear();
  expect(heapBytes() - before).toBeLessThan(4 * 2 ** 20);
  expect(lines.some((one) => one.isClosed())).toBe(false);
});

test.skipIf(isOnPostgres)(
  'concurrent requests of a key share turns of the event loop until they have used 2 ms',
  async () => {
    await open();
    const lines = await Promise.all(
      Array.from({ length: 10 }, () => openRawConnection(get('/v1/organization', ADMIN_KEY))),
    );
    for (const one of lines) {
      await waitForResponse(one);
    }
    let turns = 0;
    const passed = () => {
      turns += 1;
      next = setImmediate(passed);
    };
    let next = setImmediate(passed);
    const answeredIn: number[] = [];
    const ended = vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (
      this: ServerResponse,
    ) {
      answeredIn.push(turns);
      this.destroy();
      return this;
    });
    onTestFinished(() => {
      ended.mockRestore();
      clearImmediate(next);
    });
    // Each request seems to take one.
    let nowMs = performance.now();
    const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs++);
    onTestFinished(() => now.mockRestore());
    for (const { socket } of lines) {
      socket.write(get('/v1/organization', ADMIN_KEY));
    }
    await eventually(() => expect(answeredIn).toHaveLength(lines.length));
    expect(new Set(answeredIn).size).toBeGreaterThanOrEqual(lines.length / 2);
  },
);

test('a manifest that is sent in slices is complete', async () => {
  await open();
  const screen = await pairDevice(cloud);
  const { id } = (await cloud.admin.upload(await png(1), 'a.png')).data;
  const items = Array.from({ length: 1000 }, () => ({ content_id: id, duration: 10 }));
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'Long', items })).data;
  const targets = [{ type: 'device', id: screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  const { data, headers } = await screen.client.get('/v1/player/manifest');
  expect(data.playlists[0].items).toHaveLength(1000);
  const length = Number(headers.get('content-length'));
  expect(length).toBeGreaterThan(65_536);
  const head = await screen.client.raw('/v1/player/manifest', { method: 'HEAD' });
  expect(Number(head.headers.get('content-length'))).toBe(length);
});

describe('a rejected connection is closed even when its client does not close it', () => {
  test.each([
    ['no HTTP', 'nonsense\r\n\r\n', '400'],
    [
      'an upgrade without a token',
      `${get('/v1/player/socket').trim()}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      '401',
    ],
    [
      'an upgrade on another path',
      `${get('/else').trim()}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      '404',
    ],
  ])('%s', async (_, text, status) => {
    await open();
    const refused = await openRawConnection(text);
    await waitForResponse(refused);
    expect(refused.received()).toContain(`HTTP/1.1 ${status}`);
    expect(refused.received()).toContain('"success":false');
    cloud.clock.advance(3000);
    // Writing to a connection that the cloud has only half closed succeeds.
    await eventually(() => {
      refused.socket.write('x');
      expect(refused.socket.destroyed, 'reset by the cloud').toBe(true);
    });
  });
});

const isOpen = (screen: Awaited<ReturnType<typeof openPlayerSocket>>) =>
  screen.socket.readyState === screen.socket.OPEN;

describe('unauthenticated connections evict only unauthenticated connections', () => {
  test('from one address: a device there keeps its connections, and another one can connect', async () => {
    await open({ perAddress: 10 });
    const [first, second] = [await pairDevice(cloud), await pairDevice(cloud)];
    const held = await openPlayerSocket(cloud.cloud.url, first.token);
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

    const flood: RawConnection[] = [];
    for (let i = 0; i < 40; i++) {
      flood.push(await openRawConnection(post('/v1/player/pairing', 1000)));
    }
    await eventually(() => expect(flood.filter((one) => !one.isClosed()).length).toBeLessThanOrEqual(10));
    expect(
      flood.slice(-9).every((one) => !one.isClosed()),
      'the oldest are dropped',
    ).toBe(true);
    expect(isOpen(held)).toBe(true);
    expect(await ask()).toEqual({ status: 200, reused: true });
    expect((await second.client.get('/v1/player/manifest')).status).toBe(200);
    const elsewhere = await openRawConnection(get('/healthz'), '127.0.0.9');
    await waitForResponse(elsewhere);
    agent.destroy();
    held.close();
  });

  test('from everywhere', async () => {
    await open({ anonymous: 10 });
    const screens = [await pairDevice(cloud), await pairDevice(cloud)];
    const held = await Promise.all(screens.map(({ token }) => openPlayerSocket(cloud.cloud.url, token)));
    const flood: RawConnection[] = [];
    for (let i = 0; i < 30; i++) {
      flood.push(await openRawConnection('GET / HTTP/1.1\r\n', `127.0.1.${i + 1}`));
    }
    await eventually(() => expect(flood.filter((one) => !one.isClosed()).length).toBeLessThanOrEqual(10));
    expect(held.every(isOpen)).toBe(true);
    expect((await cloud.admin.get('/v1/devices')).data.map((each: { id: string }) => each.id)).toHaveLength(
      2,
    );
    for (const one of held) {
      one.close();
    }
  });

  test('from addresses with many unread responses first, not from an address with one slow request', async () => {
    await open({ anonymous: 12 });
    const path = await largeFile();
    for (const from of ['127.0.2.1', '127.0.2.2']) {
      for (let i = 0; i < 6; i++) {
        await openUnreadResponse(path, from);
      }
    }
    const honest = await openRawConnection('GET /healthz HTTP/1.1\r\n', '127.0.2.9');
    const flood: RawConnection[] = [];
    for (let i = 0; i < 20; i++) {
      flood.push(await openRawConnection('', `127.0.2.${1 + (i % 2)}`));
    }
    await eventually(() => expect(flood.filter((one) => one.isClosed()).length).toBeGreaterThanOrEqual(15));
    honest.socket.write('host: x\r\n\r\n');
    await waitForResponse(honest);
    expect(honest.received()).toContain('"status":"ok"');
  });

  test('connections per key or device are limited, and the newest are kept', async () => {
    await open({ perCaller: 5 });
    const key = await cloud.createKey('Read');
    const lines: RawConnection[] = [];
    for (let i = 0; i < 8; i++) {
      lines.push(await openRawConnection(get('/v1/organization', key)));
      await waitForResponse(lines.at(-1)!);
    }
    await eventually(() =>
      expect(lines.map((one) => one.isClosed())).toEqual([
        ...Array<boolean>(3).fill(true),
        ...Array<boolean>(5).fill(false),
      ]),
    );
  });

  test('event streams of a key do not count as its connections', async () => {
    await open();
    const key = await cloud.createKey('Read');
    const stream = get('/v1/events', key).trim().concat('\r\naccept: text/event-stream\r\n\r\n');
    const streams: RawConnection[] = [];
    for (let i = 0; i < 300; i++) {
      // The limit of requests.
      cloud.clock.advance(i % 50 === 49 ? 60_000 : 0);
      streams.push(await openRawConnection(stream));
      await waitForResponse(streams.at(-1)!);
      expect(streams.at(-1)?.received()).toContain('HTTP/1.1 200');
    }
    const other = await openRawConnection(get('/v1/organization', key));
    await waitForResponse(other);
    await cloud.admin.post('/v1/playlists', { name: 'New' });
    await eventually(() =>
      expect(streams.every((one) => one.received().includes('event: playlist.created'))).toBe(true),
    );
    expect([...streams, other].some((one) => one.isClosed())).toBe(false);
  });
});
