import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { tempDir } from '../../test/support/temp-dir.ts';
import { CHANNEL_TAKEN_OVER } from '@placard/protocol/stage';
import type { FromStageMessage, ToStageMessage } from '@placard/protocol/stage';
import { eventually } from '../../test/support/eventually.ts';
import { freePort } from '../../test/support/free-port.ts';
import { createStageServer } from './server.ts';
import type { StageServer } from './server.ts';

const SESSION = 's'.repeat(43);
const SHA = 'ab'.repeat(32);
const MEDIA = randomBytes(700_000);

let folder: string;
let port: number;
let server: StageServer;
let messages: FromStageMessage[];
let connections: boolean[];
let cookieLostCount: number;

function makeServer(): StageServer {
  return createStageServer({
    rendererDir: join(folder, 'page'),
    session: SESSION,
    log: { info: () => {}, warn: () => {} },
    findMedia: async (sha256) =>
      sha256 === SHA
        ? { path: join(folder, 'clip.mp4'), size: MEDIA.length, contentType: 'video/mp4' }
        : null,
    onMessage: (message) => messages.push(message),
    onConnection: (connected) => connections.push(connected),
    onCookieLost: () => (cookieLostCount += 1),
  });
}

beforeEach(async () => {
  folder = tempDir();
  await mkdir(join(folder, 'page', 'assets'), { recursive: true });
  await writeFile(join(folder, 'page', 'index.html'), '<!doctype html><title>Placard</title>');
  await writeFile(join(folder, 'page', 'assets', 'stage.js'), 'export {};');
  await writeFile(join(folder, 'clip.mp4'), MEDIA);
  await writeFile(join(folder, 'secret.txt'), 'not for the page');
  messages = [];
  connections = [];
  cookieLostCount = 0;
  server = makeServer();
  port = await server.listen(await freePort());
});

afterEach(async () => {
  await server.close();
});

interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A plain request; `path` is sent exactly as written. */
async function sendRequest(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<HttpResponse> {
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  outgoing.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

const cookie = { cookie: `placard_session=${SESSION}` };

function openChannel(headers: Record<string, string> = {}): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port}/channel`, {
    headers: { origin: `http://127.0.0.1:${port}`, ...cookie, ...headers },
  });
}

describe('session auth', () => {
  test('sets the cookie once and redirects to the page', async () => {
    const url = new URL(server.issuePageUrl());
    const entered = await sendRequest(url.pathname);
    expect(entered.status).toBe(303);
    expect(entered.headers.location).toBe('/');
    expect(entered.headers['set-cookie']).toEqual([
      `placard_session=${SESSION}; Path=/; HttpOnly; SameSite=Strict`,
    ]);

    const page = await sendRequest('/', { headers: cookie });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body.toString()).toContain('Placard');
  });

  test('rejects a second use of the same launch URL, and a made-up one', async () => {
    const url = new URL(server.issuePageUrl());
    await sendRequest(url.pathname);
    const again = await sendRequest(url.pathname);
    expect(again.status).toBe(403);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect((await sendRequest('/enter/made-up')).status).toBe(403);
  });

  test('does not use up the launch URL on a HEAD request', async () => {
    const url = new URL(server.issuePageUrl());
    expect((await sendRequest(url.pathname, { method: 'HEAD' })).status).toBe(403);
    expect((await sendRequest(url.pathname)).status).toBe(303);
  });

  test('accepts the cookie of an open page after a restart on the same port', async () => {
    await server.close();
    server = makeServer();
    expect(await server.listen(port)).toBe(port);
    expect((await sendRequest('/', { headers: cookie })).status).toBe(200);
    const page = openChannel();
    await once(page, 'open');
    page.close();
  });

  test('rejects when the port is taken', async () => {
    const other = makeServer();
    await expect(other.listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await other.close();
  });
});

describe('rejected requests', () => {
  test.each([
    ['no cookie', {}],
    ['a wrong cookie', { cookie: `placard_session=${'x'.repeat(43)}` }],
    ['the cookie under another name', { cookie: `session=${SESSION}` }],
    ['a cookie that only begins with the secret', { cookie: `placard_session=${SESSION}x` }],
  ])('responds 401 to %s, for page and media', async (_name, headers) => {
    expect((await sendRequest('/', { headers })).status).toBe(401);
    expect((await sendRequest(`/media/${SHA}`, { headers })).status).toBe(401);
  });

  test.each(['localhost', 'placard.example', '127.0.0.1', '127.0.0.1:1'])(
    'responds 403 to the host name %s',
    async (host) => {
      expect((await sendRequest('/', { headers: { ...cookie, host } })).status).toBe(403);
    },
  );

  test('responds 403 to a foreign origin and 405 to other methods of the page', async () => {
    expect((await sendRequest('/', { method: 'POST', headers: cookie })).status).toBe(403);
    const foreign = { ...cookie, origin: 'http://evil.example' };
    expect((await sendRequest('/', { method: 'POST', headers: foreign })).status).toBe(403);
    const own = { ...cookie, origin: `http://127.0.0.1:${port}` };
    expect((await sendRequest('/', { method: 'DELETE', headers: own })).status).toBe(405);
  });

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//etc/passwd',
    '/media/../secret.txt',
    `/media/${'AB'.repeat(32)}`,
    `/media/${'cd'.repeat(32)}`,
    '/index.html%00',
  ])('responds 404 to %s', async (path) => {
    const response = await sendRequest(path, { headers: cookie });
    expect(response.status).toBe(404);
    expect(response.body).toHaveLength(0);
  });

  test.each([
    ['no cookie', { cookie: '' }],
    ['a wrong cookie', { cookie: 'placard_session=nope' }],
    ['a foreign origin', { origin: 'http://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a foreign host name', { host: 'evil.example' }],
  ])('rejects the channel for %s', async (_name, headers) => {
    const socket = openChannel(headers);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
    expect(connections).toEqual([]);
  });

  test('reports an own page that has lost its cookie, while no other page is connected', async () => {
    await once(openChannel({ cookie: '' }), 'error');
    expect(cookieLostCount).toBe(1);
    await once(openChannel({ cookie: '', origin: 'http://evil.example' }), 'error');
    expect(cookieLostCount).toBe(1);
    await once(openChannel(), 'open');
    await once(openChannel({ cookie: '' }), 'error');
    expect(cookieLostCount).toBe(1);
  });

  test('rejects a channel request without an origin', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/channel`, { headers: cookie });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
  });
});

test('sends the security headers with every response', async () => {
  for (const path of ['/', '/nowhere', `/media/${SHA}`]) {
    const { headers } = await sendRequest(path, { headers: cookie });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  }
});

function get(headers: Record<string, string> = {}, method = 'GET'): Promise<HttpResponse> {
  return sendRequest(`/media/${SHA}`, { method, headers: { ...cookie, ...headers } });
}

describe('media', () => {
  test('sends the whole file with its exact length and type', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-length': String(MEDIA.length),
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
    });
    expect(response.body.equals(MEDIA)).toBe(true);
  });

  test('sends a range', async () => {
    const response = await get({ range: 'bytes=300000-600000' });
    expect(response.status).toBe(206);
    expect(response.headers['content-range']).toBe(`bytes 300000-600000/${MEDIA.length}`);
    expect(response.headers['content-length']).toBe('300001');
    expect(response.body.equals(MEDIA.subarray(300_000, 600_001))).toBe(true);
  });

  test('sends the tail for a suffix range', async () => {
    const response = await get({ range: 'bytes=-5' });
    expect(response.status).toBe(206);
    expect(response.body.equals(MEDIA.subarray(-5))).toBe(true);
  });

  test('responds 416 past the end, with the size', async () => {
    const response = await get({ range: `bytes=${MEDIA.length}-` });
    expect(response.status).toBe(416);
    expect(response.headers['content-range']).toBe(`bytes */${MEDIA.length}`);
  });

  test('responds to HEAD without a body', async () => {
    const response = await get({}, 'HEAD');
    expect(response.headers['content-length']).toBe(String(MEDIA.length));
    expect(response.body).toHaveLength(0);
  });

  test('ignores a range with an If-Range for another file', async () => {
    const response = await get({ range: 'bytes=0-1', 'if-range': '"other"' });
    expect(response.status).toBe(200);
    expect((await get({ range: 'bytes=0-1', 'if-range': `"${SHA}"` })).status).toBe(206);
  });

  test('sends an empty file as empty', async () => {
    await writeFile(join(folder, 'clip.mp4'), '');
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers['content-length']).toBe('0');
  });

  test('responds 404 when the file is missing on disk', async () => {
    await rm(join(folder, 'clip.mp4'));
    expect((await get()).status).toBe(404);
  });

  test('continues serving after a browser disconnects in the middle', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /media/${SHA} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie.cookie}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    expect((await get({ range: 'bytes=0-9' })).status).toBe(206);
  });
});

describe('the channel', () => {
  const beat: FromStageMessage = { type: 'beat', frames: 60, dropped_frames: 0 };

  test('carries messages both ways', async () => {
    const page = openChannel();
    await once(page, 'open');
    expect(server.connected).toBe(true);
    page.send(JSON.stringify(beat));
    await eventually(() => expect(messages).toEqual([beat]));

    const nextMessage = once(page, 'message');
    const order: ToStageMessage = { type: 'cut', showing_id: 'play_1' };
    server.send(order);
    expect(JSON.parse(String((await nextMessage)[0]))).toEqual(order);

    page.close();
    await eventually(() => expect(connections).toEqual([true, false]));
    expect(server.connected).toBe(false);
  });

  test('ignores unknown types and invalid messages, and handles the next one', async () => {
    const page = openChannel();
    await once(page, 'open');
    page.send(JSON.stringify({ type: 'from_the_future' }));
    page.send('{ not json');
    page.send(JSON.stringify({ type: 'beat', frames: 'many' }));
    page.send(Buffer.from([1, 2, 3]));
    page.send(JSON.stringify(beat));
    await eventually(() => expect(messages).toEqual([beat]));
  });

  test('gives the channel to a newer page and closes the older one', async () => {
    const older = openChannel();
    await once(older, 'open');
    const closed = once(older, 'close');
    const newer = openChannel();
    await once(newer, 'open');
    expect((await closed)[0]).toBe(CHANNEL_TAKEN_OVER);
    expect(connections).toEqual([true, true]);

    const nextMessage = once(newer, 'message');
    server.send({ type: 'clear' });
    expect(JSON.parse(String((await nextMessage)[0]))).toEqual({ type: 'clear' });
    expect(server.connected).toBe(true);
    newer.close();
  });

  test('drops messages while no page is connected', () => {
    expect(() => server.send({ type: 'clear' })).not.toThrow();
  });
});
