import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startRecordingServer } from './support/recording-server.ts';
import type { RecordingServer } from './support/recording-server.ts';
import { png } from './support/media.ts';

let cloud: TestCloud;
let guarded: TestCloud;
let files: RecordingServer;
let picture: Buffer;
beforeAll(async () => {
  picture = await png(77);
  files = await startRecordingServer((_request, response) => response.end(picture));
  cloud = await startTestCloud({ allowAddresses: ['127.0.0.1'] });
  guarded = await startTestCloud();
});
afterAll(async () => {
  await cloud.close();
  await guarded.close();
  await files.close();
});

const importing = (url: string, more: Record<string, unknown> = {}) =>
  cloud.admin.post('/v1/content/upload-url', { url, ...more });

test('a file is imported from a URL and becomes an asset', async () => {
  files.respond = (_request, response) => response.end(picture);
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'F' })).data;
  const answer = await importing(`${files.url}/menus/lunch%20menu.png?v=2`, {
    tags: ['menu'],
    folder_id: folder.id,
  });
  expect(answer.status).toBe(201);
  expect(answer.data).toMatchObject({
    name: 'lunch menu.png',
    type: 'image',
    format: 'png',
    size: picture.length,
    sha256: createHash('sha256').update(picture).digest('hex'),
    tags: ['menu'],
    folder_id: folder.id,
  });
  expect((await importing(`${files.url}/x`, { name: 'Named' })).data.name).toBe('Named');
});

test('redirects are followed five times, not six', async () => {
  files.respond = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) {
      response.end(picture);
    } else {
      response.writeHead(302, { location: `/${left - 1}` }).end();
    }
  };
  expect((await importing(`${files.url}/5`)).status).toBe(201);
  const answer = await importing(`${files.url}/6`);
  expect([answer.error?.code, answer.error?.details.reason]).toEqual(['IMPORT_FAILED', 'too_many_redirects']);
});

test('a failed import is IMPORT_FAILED with a reason', async () => {
  files.respond = (_request, response) => response.writeHead(404).end();
  const missing = await importing(`${files.url}/x.png`);
  expect(missing.error?.details).toEqual({ reason: 'http_status', status: 404 });
  expect((await importing('http://name.invalid/x.png')).error?.details.reason).toBe('dns_failed');
  expect((await importing('http://127.0.0.1:1/x.png')).error?.details.reason).toBe('connection_failed');
  files.respond = (request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write(picture);
    request.socket.destroy();
  };
  expect((await importing(`${files.url}/half.png`)).error?.details.reason).toBe('connection_failed');
  expect(await cloud.staged(), 'nothing is left behind').toEqual([]);
});

test('a file that is not media is 415, a URL that is not http is 400', async () => {
  files.respond = (_request, response) => response.end('<html>log in</html>');
  expect((await importing(`${files.url}/page.png`)).error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com/x',
    'nonsense',
    'http://user:pass@example.com/',
  ]) {
    expect((await importing(url)).error?.code, url).toBe('VALIDATION_ERROR');
  }
});

test('a key may run four imports at a time; an import is aborted when its client disconnects', async () => {
  let [open, ended] = [0, 0];
  files.respond = (_request, response) => {
    open += 1;
    response.on('close', () => (ended += 1));
    response.write(picture.subarray(0, 10));
  };
  const gone = new AbortController();
  const ask = () =>
    cloud.admin.raw('/v1/content/upload-url', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${files.url}/endless.png` }),
      signal: gone.signal,
    });
  const asked = Array.from({ length: 4 }, () => ask().catch(() => null));
  await eventually(() => expect(open).toBe(4));
  const over = await importing(`${files.url}/one-more.png`);
  expect([over.status, over.error?.code]).toEqual([429, 'RATE_LIMITED']);
  expect(over.error?.message).toContain('4 imports running');
  gone.abort();
  await Promise.all(asked);
  await eventually(() => expect(ended).toBe(4));
  await eventually(async () => expect(await cloud.staged()).toEqual([]));
  files.respond = (_request, response) => response.end(picture);
  expect((await importing(`${files.url}/again.png`)).status).toBe(201);
});

test('an invalid URL is reported together with all other problems', async () => {
  const response = await cloud.admin.post('/v1/content/upload-url', {
    url: 'ftp://example.com/a.png',
    name: ' ',
  });
  const paths = response.error?.details.map(({ path }: { path: string }) => path);
  expect(new Set(paths)).toEqual(new Set(['url', 'name']));
});

test('private, loopback, link-local and metadata addresses are never contacted', async () => {
  const port = new URL(files.url).port;
  files.requests.length = 0;
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ]) {
    const answer = await guarded.admin.post('/v1/content/upload-url', {
      url: `http://${host}:${port}/x.png`,
    });
    expect([host, answer.error?.code, answer.error?.details?.reason]).toEqual([
      host,
      'IMPORT_FAILED',
      'address_not_allowed',
    ]);
  }
  expect(files.requests).toEqual([]);
});

test('a redirect to an address that is not allowed is not followed', async () => {
  for (const location of [
    'http://10.0.0.1/x',
    'http://[::1]/x',
    'http://169.254.169.254/x',
    'file:///etc/passwd',
  ]) {
    files.respond = (_request, response) => response.writeHead(302, { location }).end();
    const { details } = (await importing(`${files.url}/x`)).error ?? {};
    expect(['address_not_allowed', 'bad_redirect']).toContain(details.reason);
  }
});
