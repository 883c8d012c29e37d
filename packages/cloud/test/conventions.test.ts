import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ERRORS } from '@placard/protocol/api';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from './support/client.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const json = { 'content-type': 'application/json' };

const codeFor = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  (await cloud.admin.send('POST', '/v1/playlists', { body, headers })).error?.code;

test('an unknown path, a wrong method and a malformed body get the error envelope', async () => {
  expect((await cloud.admin.get('/nowhere')).error?.code).toBe('ROUTE_NOT_FOUND');
  expect((await cloud.clientFor(null).get('/v1/nowhere')).error?.code).toBe('ROUTE_NOT_FOUND');
  expect((await cloud.admin.get(`/v1/devices/${'x'.repeat(600)}`)).error?.code).toBe('VALIDATION_ERROR');
  expect((await cloud.admin.get('/v1/devices/')).status, 'a trailing slash is ignored').toBe(200);
  const method = await cloud.admin.call('PUT', '/v1/devices');
  expect([method.error?.code, method.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET']);
  const both = await cloud.admin.call('PUT', '/v1/playlists/pl_x');
  expect(both.headers.get('allow')).toBe('GET, PATCH, DELETE');
  expect(await codeFor('{')).toBe('MALFORMED_JSON');
  expect(await codeFor(Uint8Array.of(0x22, 0xff, 0x22))).toBe('MALFORMED_JSON');
  expect(await codeFor('['.repeat(40) + ']'.repeat(40))).toBe('MALFORMED_JSON');
  expect(await codeFor('name=x', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(
    'UNSUPPORTED_MEDIA_TYPE',
  );
  expect(await codeFor('{}', { 'content-type': 'multipart/form-data; boundary=x' })).toBe(
    'UNSUPPORTED_MEDIA_TYPE',
  );
  expect(await codeFor('null')).toBe('VALIDATION_ERROR');
  expect(await codeFor(JSON.stringify({ name: 'x'.repeat(1_100_000) }))).toBe('PAYLOAD_TOO_LARGE');
  expect(await codeFor('')).toBe('VALIDATION_ERROR');
  expect(await codeFor('[]')).toBe('VALIDATION_ERROR');
  expect(await codeFor('', { 'content-type': 'text/plain' }), 'an empty body is none').toBe(
    'VALIDATION_ERROR',
  );
});

/** Sends raw bytes and returns everything received until the connection closes; fails if not all could be sent. */
const answerTo = (bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(cloud.cloud.url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (more) => (text += more.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });

test('a request without Host gets a normal response', async () => {
  const response = await answerTo('GET /v1/nowhere HTTP/1.1\r\nConnection: close\r\n\r\n');
  expect(response).toContain('HTTP/1.1 404');
  expect(response).toContain('x-request-id');
  expect(response).toContain('Connection: close');
  expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    success: false,
    error: { code: 'ROUTE_NOT_FOUND' },
  });
});

test('a client that closes its connection gets the answer to a body that is too large', async () => {
  const body = JSON.stringify({ name: 'x'.repeat(8_000_000) });
  const response = await answerTo(
    'POST /v1/stores HTTP/1.1\r\nHost: cloud\r\nConnection: close\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${cloud.cloud.adminKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(response).toContain('HTTP/1.1 413');
  expect(response).toContain('PAYLOAD_TOO_LARGE');
});

test('a compressed body is rejected', async () => {
  const body = JSON.stringify({ name: 'Packed' });
  expect(await codeFor(body, { ...json, 'content-encoding': 'gzip' })).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect(await codeFor(body, { ...json, 'content-encoding': 'identity' })).toBeUndefined();
  expect((await cloud.admin.get('/v1/devices', { 'content-encoding': 'gzip' })).status).toBe(200);
});

test('an error names the page that says what to do about each code', async () => {
  const found: unknown = await (await cloud.admin.raw('/v1/stores/store_x')).json();
  const url = `${cloud.cloud.url}/docs/errors`;
  expect(found).toMatchObject({ error: { code: 'STORE_NOT_FOUND', doc_url: `${url}#STORE_NOT_FOUND` } });
  const page = await fetch(url);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const text = await page.text();
  for (const code of Object.keys(ERRORS)) {
    expect(text).toContain(`<section id="${code}">`);
  }
});

test('data that is not HTTP gets the error envelope too', async () => {
  const response = await answerTo('hello?\r\n\r\n');
  expect(response).toContain('HTTP/1.1 400');
  expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false });
});

test('a path that cannot be decoded is rejected', async () => {
  expect((await cloud.admin.get('/v1/devices/%zz')).error).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: 'url', message: 'cannot be decoded' }],
  });
});

test('of very many problems the first hundred are listed and the rest counted', async () => {
  const body = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`unknown${index}`, 1]));
  const { status, error } = await cloud.admin.post('/v1/stores', { name: 'Old town', ...body });
  expect(status).toBe(400);
  expect(error?.message).toContain('(and 4999 more)');
  expect(error?.details).toHaveLength(100);
});

test('a body with too many fields is rejected before it is parsed', async () => {
  const body = Object.fromEntries(Array.from({ length: 25_001 }, (_, index) => [`unknown${index}`, 1]));
  const { status, error } = await cloud.admin.post('/v1/stores', body);
  expect(status).toBe(400);
  expect(error).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: '', message: 'must have at most 25000 fields and list entries' }],
  });
});

test('all problems of a request are reported at once, with their paths', async () => {
  const response = await cloud.admin.post('/v1/schedules?dry=1', {
    name: '   ',
    rules: [{ playlist_id: 'pl_x', start_time: '25:00', end_time: '09:00', days: ['XXX'], color: 'red' }],
    targets: [{ type: 'planet', id: 'x' }],
    extra: 1,
  });
  expect(response.error?.code).toBe('VALIDATION_ERROR');
  const paths = response.error?.details.map((problem: { path: string }) => problem.path);
  expect(paths).toEqual(
    expect.arrayContaining(['dry', 'name', 'rules.0.start_time', 'rules.0.days.0', 'rules.0.color', 'extra']),
  );
  expect(paths.some((path: string) => path.startsWith('targets.0'))).toBe(true);
});

test('page and limit outside their range are rejected on every list, never clamped', async () => {
  for (const list of [
    'devices',
    'content',
    'content/folders',
    'playlists',
    'schedules',
    'stores',
    'commands',
    'tags',
    'deployments',
    'users',
    'invitations',
    'operations',
    'rollouts',
    'alert-rules',
    'alerts',
  ]) {
    for (const query of ['page=0', 'limit=0', 'limit=101', 'page=x', 'page=1.5', 'page=1&page=2']) {
      expect((await cloud.admin.get(`/v1/${list}?${query}`)).status, `${list} ${query}`).toBe(400);
    }
  }
});

const pathOf = (page: number) => `/v1/stores?limit=2&page=${page}`;
const pageOf = (page: number) => cloud.admin.get(pathOf(page));
const urlOf = (page: number) => cloud.cloud.url + pathOf(page);

test('a page past the end is empty, and pages neither repeat nor skip rows', async () => {
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    made.unshift((await cloud.admin.post('/v1/stores', { name: `S${i}` })).data.id);
  }
  const seen: string[] = [];
  for (let page = 1; page <= 3; page++) {
    seen.push(...(await pageOf(page)).data.map((store: { id: string }) => store.id));
  }
  expect(seen).toEqual(made);
  expect((await pageOf(2)).meta).toEqual({ page: 2, limit: 2, total: 5 });
  const linksOf = async (page: number) =>
    Object.fromEntries(
      [...((await pageOf(page)).headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(
        ([, url = '', relation = '']) => [relation, url],
      ),
    );
  expect(await linksOf(1)).toEqual({ first: urlOf(1), next: urlOf(2), last: urlOf(3) });
  expect(await linksOf(2)).toEqual({ first: urlOf(1), prev: urlOf(1), next: urlOf(3), last: urlOf(3) });
  expect(await linksOf(9)).toEqual({ first: urlOf(1), prev: urlOf(3), last: urlOf(3) });
  const past = await pageOf(9);
  expect([past.data, past.meta?.total]).toEqual([[], 5]);
});

test('a request id is generated, or taken from the request when it is valid', async () => {
  const made = await cloud.admin.get('/v1/organization');
  expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const taken = await cloud.admin.get('/v1/organization', { 'x-request-id': 'my-id.1' });
  expect(taken.headers.get('x-request-id')).toBe('my-id.1');
  const refused = await cloud.admin.get('/v1/organization', { 'x-request-id': 'a b"c' });
  expect(refused.headers.get('x-request-id')).not.toContain('"');
});

test('responses have security headers against scripts, framing, sniffing and caching', async () => {
  const response = await cloud.admin.get('/v1/organization');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  expect(response.headers.get('strict-transport-security'), 'only where there is https').toBeNull();
});

test('a POST with a JSON content type and an empty body has no body', async () => {
  const schedule = await cloud.admin.post('/v1/schedules', { name: 'S' });
  const response = await cloud.admin.raw(`/v1/schedules/${schedule.data.id}/deactivate`, {
    method: 'POST',
    headers: json,
  });
  expect(response.status).toBe(200);
});

test('health, readiness, OpenAPI description and docs page need no key', async () => {
  const open = cloud.clientFor(null);
  expect((await open.raw('/healthz')).status).toBe(200);
  expect((await open.raw('/readyz')).status).toBe(200);
  const page = await open.raw('/docs');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).not.toMatch(/https?:\/\//);
  const script = await open.raw(/src="([^"]+)"/.exec(html)?.[1] ?? '');
  expect(script.headers.get('content-type')).toContain('javascript');
  expect((await open.raw('/pair')).status).toBe(200);
});

test('the same Idempotency-Key gets the first response, and a conflict with another body', async () => {
  const post = (name: string, key: string) =>
    cloud.admin.post('/v1/stores', { name }, { 'idempotency-key': key });
  const first = await post('Once', 'k1');
  const again = await post('Once', 'k1');
  expect(again.data).toEqual(first.data);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect((await post('Twice', 'k1')).error?.code).toBe('CONFLICT');
  const both = await Promise.all([post('Together', 'k2'), post('Together', 'k2')]);
  expect(both[0].data).toEqual(both[1].data);
  expect((await cloud.admin.get('/v1/stores?search=Together')).meta?.total).toBe(1);
  cloud.clock.advance(24 * 3_600_000);
  expect((await post('Twice', 'k1')).status).toBe(201);
});

test('a failed request may be retried with the same Idempotency-Key', async () => {
  const body = { name: 'P', items: [{ content_id: 'asset_none' }] };
  const headers = { 'idempotency-key': 'k3' };
  expect((await cloud.admin.post('/v1/playlists', body, headers)).status).toBe(404);
  expect((await cloud.admin.post('/v1/playlists', { name: 'P' }, headers)).status).toBe(201);
});

const preflight = (url: string, origin: string) =>
  fetch(`${url}/v1/devices`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  });

test('CORS headers are sent only for allowed origins', async () => {
  const closed = await preflight(cloud.cloud.url, 'https://app.example');
  expect([closed.status, closed.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  const open = await startTestCloud({ corsOrigins: ['https://app.example'] });
  try {
    const allowed = await preflight(open.cloud.url, 'https://app.example');
    expect(allowed.status).toBe(204);
    // Among them what the client sends to change resources and to continue a stream of events.
    expect(allowed.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'idempotency-key', 'if-match', 'last-event-id']),
    );
    const response = await open.admin.get('/v1/devices', { origin: 'https://app.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(response.headers.get('access-control-expose-headers')).toContain('idempotency-replayed');
    const stranger = await preflight(open.cloud.url, 'https://evil.example');
    expect([stranger.status, stranger.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  } finally {
    await open.close();
  }
});

test('an address that tries many keys is throttled; a valid key that was used there is not', async () => {
  expect((await cloud.admin.get('/v1/devices')).status).toBe(200);
  const guessing = createApiClient({ url: () => cloud.cloud.url, secret: 'guess', beforeRequest: () => {} });
  const codes = new Set<string | undefined>();
  for (let i = 0; i < 301; i++) {
    codes.add((await guessing.get('/v1/devices')).error?.code);
  }
  expect(codes).toEqual(new Set(['UNAUTHORIZED', 'RATE_LIMITED']));
  expect((await cloud.admin.get('/v1/devices')).status).toBe(200);
  cloud.clock.advance(60_000);
  expect((await guessing.get('/v1/devices')).error?.code).toBe('UNAUTHORIZED');
});

test('behind a trusted proxy, each device has its own limit of pairing starts', async () => {
  const body = { serial: 'SN', platform: 'linux', player_version: '1' };
  const start = (test: TestCloud, address: string, serial: number) =>
    test
      .clientFor(null)
      .post('/v1/player/pairing', { ...body, serial: `SN-${serial}` }, { 'x-forwarded-for': address });
  const refused = async (test: TestCloud) => {
    let count = 0;
    for (let i = 0; i < 62; i++) {
      if ((await start(test, `10.0.0.${i}`, i)).status === 429) {
        count++;
      }
    }
    return count;
  };
  expect(await refused(cloud), '60 starts in ten minutes from one address').toBe(2);
  const proxied = await startTestCloud({ trustProxies: ['127.0.0.1'] });
  try {
    expect(await refused(proxied)).toBe(0);
  } finally {
    await proxied.close();
  }
});

test('responses to keys of more than a kilobyte are compressed as the client asks', async () => {
  for (let i = 0; i < 20; i++) {
    await cloud.admin.post('/v1/stores', { name: `Store ${i} ${'x'.repeat(80)}` });
  }
  const { port } = new URL(cloud.cloud.url);
  const read = async (path: string, encoding?: string) => {
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}${path}`, {
      headers: {
        authorization: `Bearer ${cloud.cloud.adminKey}`,
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      },
    });
    expect(statusCode).toBe(200);
    const bytes = Buffer.from(await body.arrayBuffer());
    return { encoding: headers['content-encoding'], vary: headers['vary'], bytes };
  };
  const list = '/v1/stores?limit=100';
  const plain = await read(list);
  expect(plain).toMatchObject({ encoding: undefined });
  expect(plain.bytes.length).toBeGreaterThan(4_000);
  const brotli = await read(list, 'gzip, br');
  expect(brotli).toMatchObject({ encoding: 'br', vary: expect.stringContaining('accept-encoding') });
  expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 4);
  expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes);
  const gzip = await read(list, 'gzip');
  expect(gzip.encoding).toBe('gzip');
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
  expect(await read('/v1/organization', 'br'), 'is short').toMatchObject({ encoding: undefined });
  const csv = await read('/v1/analytics/plays.csv?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z', 'br');
  expect(csv.encoding).toBe('br');
  expect(brotliDecompressSync(csv.bytes).toString()).toMatch(/^id,/);
  expect((await read('/openapi.json', 'br')).encoding, 'compressed once, as anybody may ask for it').toBe(
    'br',
  );
});
