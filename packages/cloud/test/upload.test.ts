import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  gifOf,
  mp4WithEndlessTimeOffsets,
  webmWithLargeFrames,
  webpWithoutImageData,
} from './support/malicious-media.ts';
import { png, sampleMedia } from './support/media.ts';

let cloud: TestCloud;
beforeAll(async () => {
  // One of the files hangs for so long.
  cloud = await startTestCloud({ inspectionLimits: { deadlineMs: 10_000 } });
});
afterAll(() => cloud.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const parts = () => cloud.staged();
/** Bytes of the file that is being received. */
const receivedBytes = async () => {
  const [path] = await parts();
  return path === undefined ? 0 : (await stat(path)).size;
};

test('the response of an upload describes the content of the file', async () => {
  const bytes = await png(1, 320, 200);
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'F' })).data;
  const answer = await cloud.admin.upload(bytes, 'C:\\pictures\\lie.mp4', {
    tags: 'menu, lunch,menu,',
    folder_id: folder.id,
  });
  expect(answer.status).toBe(201);
  expect(answer.data).toEqual({
    id: expect.stringMatching(/^asset_/),
    name: 'lie.mp4',
    type: 'image',
    format: 'png',
    width: 320,
    height: 200,
    size: bytes.length,
    duration: null,
    codec: null,
    frame_rate: null,
    sha256: sha256(bytes),
    url: `${cloud.cloud.url}/cdn/${sha256(bytes)}.png`,
    thumbnail_url: expect.stringMatching(/\/cdn\/[0-9a-f]{64}\.webp$/),
    folder_id: folder.id,
    tags: ['menu', 'lunch'],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const thumbnail = await fetch(answer.data.thumbnail_url);
  expect(thumbnail.headers.get('content-type')).toBe('image/webp');
  expect((await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata()).width).toBe(320);
});

test.each([
  ['sample-morning-1920x1080.jpg', 'image', 'jpeg', 1920, 1080, null],
  ['sample-wayfinding-exif6-1600x1200.jpg', 'image', 'jpeg', 1600, 1200, null],
  ['sample-offer-1200x1200.webp', 'image', 'webp', 1200, 1200, null],
  ['sample-flowers-720x1280.mp4', 'video', 'mp4', 720, 1280, 5],
  ['sample-waves-1280x720.mp4', 'video', 'mp4', 1280, 720, 6],
  ['sample-lights-1280x720.webm', 'video', 'webm', 1280, 720, 4],
] as const)('%s is detected by its content', async (name, type, format, width, height, duration) => {
  const { data } = await cloud.admin.upload(await sampleMedia(name), 'file');
  expect(data).toMatchObject({ type, format, width, height, duration });
  expect((await fetch(data.thumbnail_url)).status).toBe(200);
});

test.each(['gif', 'avif', 'webp', 'jpeg', 'png'] as const)('%s images are accepted', async (format) => {
  const bytes = await sharp(await png(9))
    .toFormat(format)
    .toBuffer();
  expect((await cloud.admin.upload(bytes, 'x')).data.format).toBe(format);
});

test.each([
  'red-then-blue-vp8.webm',
  'red-then-blue-av1.webm',
  'red-then-blue-av1.mp4',
  'red-then-blue-avc.mp4',
  'red-then-blue-vp9.webm',
])('%s gets a thumbnail from its first tenth', async (name) => {
  const { data } = await cloud.admin.upload(await readFile(join(import.meta.dirname, 'media', name)), name);
  expect(data).toMatchObject({ type: 'video', width: 160, height: 90, duration: 3 });
  const picture = sharp(Buffer.from(await (await fetch(data.thumbnail_url)).arrayBuffer()));
  expect(await picture.metadata()).toMatchObject({ format: 'webp', width: 160, height: 90 });
  const [red, green, blue] = (await picture.stats()).channels.map(({ mean }) => mean);
  expect(blue).toBeGreaterThan(150);
  expect(Math.max(red ?? 255, green ?? 255)).toBeLessThan(120);
});

const sample = (name: string) => readFile(join(import.meta.dirname, 'media', name));

test.each([
  [
    'a video that hangs its parser',
    async () => mp4WithEndlessTimeOffsets(await sample('red-then-blue-av1.mp4')),
    'too_slow',
  ],
  ['an image of 268 million pixels', async () => gifOf(16_383, 16_383), 'too_many_pixels'],
  [
    'a video whose frames are larger than its container declares',
    async () => webmWithLargeFrames(await sample('red-then-blue-vp8.webm')),
    'too_many_pixels',
  ],
  ['a WebP without image data', async () => webpWithoutImageData(), 'undecodable'],
  ['a truncated video', async () => (await sample('red-then-blue-avc.mp4')).subarray(0, 1500), 'undecodable'],
  ['a page', async () => Buffer.from('<!doctype html><html></html>'), 'unsupported_format'],
])('%s is 415 with a reason, and other requests are not delayed', async (_, bytes, reason) => {
  const over = new AbortController();
  const bad = cloud.admin.upload(await bytes(), 'bad').finally(() => over.abort());
  let mostMs = 0;
  while (!over.signal.aborted) {
    const before = process.cpuUsage();
    expect((await fetch(`${cloud.cloud.url}/readyz`)).status).toBe(200);
    const { user, system } = process.cpuUsage(before);
    mostMs = Math.max(mostMs, (user + system) / 1000);
    // Polling without a pause would take CPU time from the process that inspects the file.
    await sleep(50);
  }
  expect((await bad).error).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', details: { reason } });
  // CPU time, which no other process adds to. It would be seconds if the file were inspected in the same process.
  expect(mostMs).toBeLessThan(2000);
  expect(await parts()).toEqual([]);
});

test('several decompression bombs at once do not exhaust the memory', async () => {
  const before = process.memoryUsage.rss();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => cloud.admin.upload(gifOf(16_383, 16_383), 'bomb.gif')),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(415));
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20);
});

test('a file that no player can show is 415 and leaves no files', async () => {
  const whole = await png(3, 400, 400);
  for (const bytes of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('<!doctype html><html></html>'),
    Buffer.from('hello'),
    Buffer.alloc(0),
    randomBytes(5000),
    whole.subarray(0, whole.length - 400),
    (await sampleMedia('sample-waves-1280x720.mp4')).subarray(0, 2000),
    await sharp(whole).tiff().toBuffer(),
  ]) {
    expect((await cloud.admin.upload(bytes, 'x.png')).error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  }
  expect(await parts()).toEqual([]);
});

const sendForm = (fields: Record<string, string | Blob>, headers: Record<string, string> = {}) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    body.set(name, value);
  }
  return cloud.admin.send('POST', '/v1/content/upload', { body, headers });
};

test('a long file name is cut between code points', async () => {
  const named = (await cloud.admin.upload(await png(41), `${'x'.repeat(199)}😀.png`)).data;
  expect(named.name).toBe('x'.repeat(199));
  const fits = (await cloud.admin.upload(await png(41), `${'x'.repeat(198)}😀.png`)).data;
  expect(fits.name).toBe(`${'x'.repeat(198)}😀`);
});

test('an invalid form gets all problems at once and leaves no files', async () => {
  const bytes = new Blob([Uint8Array.from(await png(4))]);
  const wrong = await sendForm({ file: bytes, name: ' ', color: 'red', folder_id: '' });
  expect(wrong.error?.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    'color',
    'folder_id',
    'name',
  ]);
  expect((await sendForm({ name: 'x' })).error?.details).toEqual([{ path: 'file', message: 'is required' }]);
  expect((await sendForm({ file: 'text' })).error?.code).toBe('VALIDATION_ERROR');
  expect((await sendForm({ file: bytes, folder_id: 'folder_none' })).error?.code).toBe('FOLDER_NOT_FOUND');
  const json = await cloud.admin.post('/v1/content/upload', { file: 'x' });
  expect(json.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect(await parts()).toEqual([]);
});

test('an upload works with chunked transfer encoding, and fields may come after the file', async () => {
  const bytes = await png(5);
  const boundary = 'b0undary';
  const part = (name: string, more = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(`${cloud.cloud.url}/v1/content/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'transfer-encoding': 'chunked',
      },
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.write(part('file', '; filename="late.png"'));
    for (let i = 0; i < bytes.length; i += 50) {
      request.write(bytes.subarray(i, i + 50));
    }
    request.write(`\r\n${part('name')}Named after the file\r\n--${boundary}--\r\n`);
    request.end();
  });
  expect(status).toBe(201);
  expect((await cloud.admin.get('/v1/content?search=after the file')).meta?.total).toBe(1);
});

/** Starts an upload of 10 MB and sends the first MB. */
function beginUpload(key = ADMIN_KEY) {
  const request = httpRequest(`${cloud.cloud.url}/v1/content/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 10_000_000,
    },
  });
  request.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
  request.write(Buffer.alloc(1_000_000));
  return request;
}

test('a client that disconnects during an upload leaves no files', async () => {
  const before = (await cloud.admin.get('/v1/content')).meta?.total;
  const request = beginUpload().on('error', () => undefined);
  await eventually(async () => expect(await parts()).toHaveLength(1));
  request.destroy();
  await eventually(async () => expect(await parts()).toEqual([]));
  expect((await cloud.admin.get('/v1/content')).meta?.total).toBe(before);
});

test('a stalled upload is aborted, a slow one is not', async () => {
  const request = beginUpload().on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    request.on('close', resolve);
  });
  for (let more = 1; more <= 5; more++) {
    const sent = more * 1_000_000;
    await eventually(async () => expect(await receivedBytes()).toBeGreaterThan(sent - 200_000));
    cloud.clock.advance(60_000);
    request.write(Buffer.alloc(1_000_000));
  }
  await eventually(async () => expect(await receivedBytes()).toBeGreaterThan(5_800_000));
  cloud.clock.advance(120_000);
  await closed;
  await eventually(async () => expect(await parts()).toEqual([]));
});

test('a length over 2 GB is rejected before the body is sent', async () => {
  const status = await new Promise<number | undefined>((resolve) => {
    const request = httpRequest(`${cloud.cloud.url}/v1/content/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 3_000_000_000,
      },
    });
    request.on('error', () => undefined);
    request.on('response', (response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    request.write('--x\r\n');
  });
  expect(status).toBe(413);
});

test('the same bytes twice are two assets and one file', async () => {
  const bytes = await png(6);
  const [a, b] = [await cloud.admin.upload(bytes, 'a.png'), await cloud.admin.upload(bytes, 'b.png')];
  expect(a.data.id).not.toBe(b.data.id);
  expect(a.data.url).toBe(b.data.url);
  await cloud.admin.delete(`/v1/content/${a.data.id}`);
  expect((await fetch(b.data.url)).status).toBe(200);
});

const served = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

test('a damaged file or thumbnail is replaced when the same bytes are uploaded again', async () => {
  const bytes = await png(7, 300, 200);
  const { data } = await cloud.admin.upload(bytes, 'a.png');
  const pathOf = (url: string) => {
    const [hash = ''] = (url.split('/').at(-1) ?? '').split('.');
    return join(cloud.dataDir, 'blobs', hash.slice(0, 2), hash);
  };
  const spoilt = Buffer.from(bytes);
  spoilt[100] = (spoilt[100] ?? 0) ^ 1;
  await writeFile(pathOf(data.url), spoilt);
  await writeFile(pathOf(data.thumbnail_url), 'spoilt');
  const again = await cloud.admin.upload(bytes, 'b.png');
  expect(again.data.url).toBe(data.url);
  expect(sha256(await served(data.url))).toBe(data.sha256);
  const { thumbnail_url: thumbnail } = (await cloud.admin.get(`/v1/content/${data.id}`)).data;
  expect((await sharp(await served(thumbnail)).metadata()).format).toBe('webp');
});

const sendOnce = async (number: number) =>
  sendForm({ file: new Blob([Uint8Array.from(await png(number))]) }, { 'idempotency-key': 'upload-1' });

test('an upload with an Idempotency-Key is stored once', async () => {
  const [first, again, other] = [await sendOnce(50), await sendOnce(50), await sendOnce(51)];
  expect([again.status, again.data]).toEqual([201, first.data]);
  expect(other.status).toBe(409);
});

test.each(['{"toString":1,"valueOf":1}', '[1]', 'null'])('a JSON field with %s is not text', async (json) => {
  const body = new FormData();
  body.set('file', new Blob([Uint8Array.from(await png(4))]));
  body.set('name', new Blob([json], { type: 'application/json' }));
  // Without a file name it is a plain field, as curl sends it.
  const text = (await new Response(body).text()).replace('name="name"; filename="blob"', 'name="name"');
  const [first = ''] = text.split('\r\n');
  const wrong = await cloud.admin.send('POST', '/v1/content/upload', {
    body: text,
    headers: { 'content-type': `multipart/form-data; boundary=${first.slice(2)}` },
  });
  expect(wrong.error?.details).toEqual([{ path: 'name', message: 'must be text' }]);
});

test('an upload that is far too slow is aborted', async () => {
  const request = beginUpload().on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    request.on('close', resolve);
  });
  await eventually(async () => expect(await parts()).toHaveLength(1));
  const drip = setInterval(() => {
    request.write('x');
    cloud.clock.advance(10_000);
  }, 5);
  await closed;
  clearInterval(drip);
  await eventually(async () => expect(await parts()).toEqual([]));
});

test('each key may run eight uploads at a time', async () => {
  const [key, other] = [await cloud.createKey('Write'), await cloud.createKey('Write')];
  const held = Array.from({ length: 8 }, () => beginUpload(key).on('error', () => undefined));
  await eventually(async () => expect(await parts()).toHaveLength(8));
  const file = await png(60);
  const over = await cloud.clientFor(key).upload(file, 'a.png');
  expect([over.status, over.error?.code]).toEqual([429, 'RATE_LIMITED']);
  expect(over.error?.message).toContain('8 uploads running');
  expect(over.headers.get('retry-after')).toBe('5');
  expect((await cloud.clientFor(other).upload(file, 'b.png')).status).toBe(201);
  for (const request of held) {
    request.destroy();
  }
  await eventually(async () => expect((await cloud.clientFor(key).upload(file, 'c.png')).status).toBe(201));
});
