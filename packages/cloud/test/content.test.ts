import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ADMIN_KEY, startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { png, sampleMedia } from './support/media.ts';
import { pairScreen } from './support/screen.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const parts = () => readdir(join(cloud.dataDir, 'blobs', 'parts'));
let shade = 1000;
const upload = async (fields: Record<string, string> = {}, name = 'a.png') =>
  (await cloud.admin.upload(await png(shade++), name, fields)).data;

test('an upload answers with what the bytes say', async () => {
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
] as const)('%s is known by its bytes', async (name, type, format, width, height, duration) => {
  const { data } = await cloud.admin.upload(await sampleMedia(name), 'file');
  expect(data).toMatchObject({ type, format, width, height, duration });
  expect(data.thumbnail_url === null, 'H.264 and VP9 would take a decoder').toBe(type === 'video');
});

test.each(['gif', 'avif', 'webp', 'jpeg', 'png'] as const)('%s pictures are accepted', async (format) => {
  const bytes = await sharp(await png(9))
    .toFormat(format)
    .toBuffer();
  expect((await cloud.admin.upload(bytes, 'x')).data.format).toBe(format);
});

test.each(['red-then-blue-vp8.webm', 'red-then-blue-av1.webm', 'red-then-blue-av1.mp4'])(
  '%s gets a small picture from its first tenth, without a decoder of videos',
  async (name) => {
    const { data } = await cloud.admin.upload(await readFile(join(import.meta.dirname, 'media', name)), name);
    expect(data).toMatchObject({ type: 'video', width: 160, height: 90, duration: 3 });
    const picture = sharp(Buffer.from(await (await fetch(data.thumbnail_url)).arrayBuffer()));
    expect(await picture.metadata()).toMatchObject({ format: 'webp', width: 160, height: 90 });
    const [red, green, blue] = (await picture.stats()).channels.map(({ mean }) => mean);
    expect(blue).toBeGreaterThan(150);
    expect(Math.max(red ?? 255, green ?? 255)).toBeLessThan(120);
  },
);

test('what no screen can show is 415 and leaves nothing', async () => {
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
  ])
    expect((await cloud.admin.upload(bytes, 'x.png')).error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect(await parts()).toEqual([]);
});

const sendForm = (fields: Record<string, string | Blob>, headers: Record<string, string> = {}) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return cloud.admin.send('POST', '/v1/content/upload', { body, headers });
};

test('a long file name is cut between characters', async () => {
  const named = (await cloud.admin.upload(await png(41), `${'x'.repeat(199)}😀.png`)).data;
  expect(named.name).toBe('x'.repeat(199));
  const fits = (await cloud.admin.upload(await png(41), `${'x'.repeat(198)}😀.png`)).data;
  expect(fits.name).toBe(`${'x'.repeat(198)}😀`);
});

test('a form that is wrong says all that is wrong, and leaves nothing', async () => {
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
    for (let i = 0; i < bytes.length; i += 50) request.write(bytes.subarray(i, i + 50));
    request.write(`\r\n${part('name')}Named after the file\r\n--${boundary}--\r\n`);
    request.end();
  });
  expect(status).toBe(201);
  expect((await cloud.admin.get('/v1/content?search=after the file')).meta?.total).toBe(1);
});

/** An upload of 10 MB of which the first one came. */
function beginUpload() {
  const request = httpRequest(`${cloud.cloud.url}/v1/content/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 10_000_000,
    },
  });
  request.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
  request.write(Buffer.alloc(1_000_000));
  return request;
}

test('a client that vanishes half way leaves nothing', async () => {
  const before = (await cloud.admin.get('/v1/content')).meta?.total;
  const request = beginUpload().on('error', () => undefined);
  await eventually(async () => expect(await parts()).toHaveLength(1));
  request.destroy();
  await eventually(async () => expect(await parts()).toEqual([]));
  expect((await cloud.admin.get('/v1/content')).meta?.total).toBe(before);
});

test('an upload of which nothing comes any more is given up, a slow one is not', async () => {
  const size = async () => {
    const [name] = await parts();
    return name === undefined ? 0 : (await stat(join(cloud.dataDir, 'blobs', 'parts', name))).size;
  };
  const request = beginUpload().on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    request.on('close', resolve);
  });
  for (let more = 1; more <= 5; more++) {
    const sent = more * 1_000_000;
    await eventually(async () => expect(await size()).toBeGreaterThan(sent - 200_000));
    cloud.clock.advance(60_000);
    request.write(Buffer.alloc(1_000_000));
  }
  await eventually(async () => expect(await size()).toBeGreaterThan(5_800_000));
  cloud.clock.advance(120_000);
  await closed;
  await eventually(async () => expect(await parts()).toEqual([]));
});

test('a length beyond 2 GB is refused before the bytes come', async () => {
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

const sendOnce = async (number: number) =>
  sendForm({ file: new Blob([Uint8Array.from(await png(number))]) }, { 'idempotency-key': 'upload-1' });

test('an upload with an Idempotency-Key is done once', async () => {
  const [first, again, other] = [await sendOnce(50), await sendOnce(50), await sendOnce(51)];
  expect([again.status, again.data]).toEqual([201, first.data]);
  expect(other.status).toBe(409);
});

test('content is listed by type, tag, folder and name', async () => {
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'Filter' })).data;
  const one = await upload({ name: 'Über 100%', tags: 'ft1', folder_id: folder.id });
  const two = await upload({ name: 'Under 100x', tags: 'ft1,ft2' });
  const ids = async (query: string) =>
    (await cloud.admin.get(`/v1/content?${query}`)).data.map((asset: { id: string }) => asset.id);
  expect(await ids('tag=ft1')).toEqual([two.id, one.id]);
  expect(await ids('tag=ft2')).toEqual([two.id]);
  expect(await ids(`folder_id=${folder.id}`)).toEqual([one.id]);
  expect(await ids('search=100%25')).toEqual([one.id]);
  expect(await ids('search=ÜBER')).toEqual([one.id]);
  expect(await ids('tag=ft1&type=video')).toEqual([]);
  expect(await ids('tag=ft1&limit=1&page=2')).toEqual([one.id]);
});

test('name, tags and folder of an asset can be changed', async () => {
  const asset = await upload({ tags: 'x' });
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'To' })).data;
  const patch = (body: unknown) => cloud.admin.patch(`/v1/content/${asset.id}`, body);
  expect((await patch({ name: 'New', tags: ['y', 'z'], folder_id: folder.id })).data).toMatchObject({
    name: 'New',
    tags: ['y', 'z'],
    folder_id: folder.id,
  });
  expect((await patch({ folder_id: null })).data.folder_id).toBeNull();
  expect((await patch({ folder_id: 'folder_none' })).error?.code).toBe('FOLDER_NOT_FOUND');
  expect((await patch({ size: 1 })).error?.details).toEqual([
    { path: 'size', message: 'is not a known field' },
  ]);
  expect((await cloud.admin.patch('/v1/content/asset_none', {})).error?.code).toBe('CONTENT_NOT_FOUND');
});

const idsIn = (shown: { assets: { id: string }[] }) => new Set(shown.assets.map(({ id }) => id));

test('removing an asset reaches the screens that show it, and tells webhooks of the playlists', async () => {
  const [asset, other] = [await upload(), await upload()];
  const screen = await pairScreen(cloud);
  const playlist = (
    await cloud.admin.post('/v1/playlists', {
      name: 'On a screen',
      items: [{ content_id: asset.id }, { content_id: other.id }],
    })
  ).data;
  const targets = [{ type: 'device', id: screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  const manifest = async () => (await screen.api.get('/v1/player/manifest')).data;
  const before = await manifest();
  expect(idsIn(before)).toEqual(new Set([asset.id, other.id]));
  const hook = (
    await cloud.admin.post('/v1/webhooks', {
      url: 'https://hooks.example.invalid/',
      events: ['playlist.updated', 'content.deleted'],
    })
  ).data;
  await cloud.admin.delete(`/v1/content/${asset.id}`);
  const after = await manifest();
  expect(after.revision).not.toBe(before.revision);
  expect(idsIn(after)).toEqual(new Set([other.id]));
  const sent = (await cloud.admin.get(`/v1/webhooks/${hook.id}/deliveries`)).data;
  type Sent = { event: string; payload: { data: { playlist: { id: string; items: unknown[] } } } };
  expect(sent.map(({ event }: Sent) => event).toSorted()).toEqual(['content.deleted', 'playlist.updated']);
  const told = sent.find(({ event }: Sent) => event === 'playlist.updated').payload.data.playlist;
  expect(told).toMatchObject({ id: playlist.id, items: [{ content_id: other.id }] });
});

test('removing an asset takes it out of playlists, and says which', async () => {
  const [asset, other] = [await upload(), await upload()];
  const playlist = (
    await cloud.admin.post('/v1/playlists', {
      name: 'Holds both',
      items: [asset, other, asset].map(({ id }) => ({ content_id: id })),
    })
  ).data;
  const removed = await cloud.admin.delete(`/v1/content/${asset.id}`);
  expect(removed.data).toEqual({
    id: asset.id,
    deleted: true,
    playlists: [{ id: playlist.id, name: 'Holds both' }],
  });
  const left = (await cloud.admin.get(`/v1/playlists/${playlist.id}`)).data.items;
  expect(left).toEqual([expect.objectContaining({ content_id: other.id, position: 0 })]);
  expect((await cloud.admin.get(`/v1/content/${asset.id}`)).error?.code).toBe('CONTENT_NOT_FOUND');
  expect((await cloud.admin.delete(`/v1/content/${asset.id}`)).error?.code).toBe('CONTENT_NOT_FOUND');
});

const path = (folder: { id: string }) => `/v1/content/folders/${folder.id}`;

test('folders nest, never in a circle, and only empty ones go', async () => {
  const make = async (name: string, parent_id: string | null) =>
    (await cloud.admin.post('/v1/content/folders', { name, parent_id })).data;
  const top = await make('Top', null);
  const middle = await make('Middle', top.id);
  const leaf = await make('Leaf', middle.id);
  expect((await cloud.admin.get(path(leaf))).data).toEqual(leaf);
  expect((await cloud.admin.patch(path(top), { parent_id: leaf.id })).error?.code).toBe('CONFLICT');
  expect((await cloud.admin.patch(path(top), { parent_id: top.id })).error?.code).toBe('CONFLICT');
  expect((await cloud.admin.patch(path(leaf), { parent_id: null, name: 'Free' })).data).toMatchObject({
    parent_id: null,
    name: 'Free',
  });
  expect((await cloud.admin.delete(path(top))).error).toMatchObject({
    code: 'FOLDER_NOT_EMPTY',
    details: { assets: 0, folders: 1 },
  });
  const asset = await upload({ folder_id: middle.id });
  expect((await cloud.admin.delete(path(middle))).error?.code).toBe('FOLDER_NOT_EMPTY');
  await cloud.admin.delete(`/v1/content/${asset.id}`);
  for (const folder of [middle, top]) expect((await cloud.admin.delete(path(folder))).status).toBe(200);
  expect((await cloud.admin.get(path(top))).error?.code).toBe('FOLDER_NOT_FOUND');
  expect(
    (await cloud.admin.post('/v1/content/folders', { name: 'X', parent_id: 'folder_none' })).error?.code,
  ).toBe('FOLDER_NOT_FOUND');
  expect((await cloud.admin.get('/v1/content/folders?limit=1')).data).toHaveLength(1);
});

test('the content host serves ranges, validators and nothing else', async () => {
  const bytes = await png(7, 500, 500);
  const { data } = await cloud.admin.upload(bytes, 'r.png');
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(data.url, { headers, method });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const whole = await get();
  expect(whole.bytes.equals(bytes)).toBe(true);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    etag: `"${data.sha256}"`,
  });
  const middle = await get({ range: 'bytes=10-19' });
  expect([middle.status, middle.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`]);
  expect(middle.bytes.equals(bytes.subarray(10, 20))).toBe(true);
  expect((await get({ range: 'bytes=-5' })).bytes.equals(bytes.subarray(-5))).toBe(true);
  expect((await get({ range: `bytes=${bytes.length - 3}-` })).bytes).toHaveLength(3);
  expect((await get({ range: 'bytes=5-999999' })).bytes).toHaveLength(bytes.length - 5);
  const wide = await get({ range: 'bytes=1-99999999999999999999' });
  expect([wide.status, wide.bytes.length], 'cut to what there is').toEqual([206, bytes.length - 1]);
  const beyond = await get({ range: `bytes=${bytes.length}-` });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
  expect((await get({ range: 'bytes=0-4', 'if-range': '"other"' })).status).toBe(200);
  expect((await get({ range: 'bytes=0-4', 'if-range': `"${data.sha256}"` })).status).toBe(206);
  expect((await get({ range: 'lines=1-2' })).status).toBe(200);
  expect((await get({ 'if-none-match': `"${data.sha256}"` })).status).toBe(304);
  const head = await get({}, 'HEAD');
  expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
    200,
    String(bytes.length),
    0,
  ]);
  for (const name of [`${'0'.repeat(64)}.png`, `${data.sha256}.html`, '..%2f..%2fcloud.sqlite', 'x'])
    expect((await cloud.as(null).get(`/cdn/${name}`)).error?.code, name).toBe('CONTENT_NOT_FOUND');
});

const HOUR_MS = 3_600_000;
const statusesOf = async (asset: { url: string; thumbnail_url: string }) => [
  (await fetch(asset.url)).status,
  (await fetch(asset.thumbnail_url)).status,
];

test('bytes that nobody names are removed an hour after their last name went, however old they are', async () => {
  // The clean-up has its first round an hour after each start, and stopping waits for the round.
  const own = await startTestCloud();
  onTestFinished(() => own.close());
  const add = async (bytes: Buffer) => (await own.admin.upload(bytes, 'a.png')).data;
  const shared = await png(8);
  const [gone, stays, lone] = [await add(shared), await add(shared), await add(await png(18))];
  await own.restart(25 * HOUR_MS);
  for (const { id } of [gone, lone]) await own.admin.delete(`/v1/content/${id}`);
  own.clock.advance(HOUR_MS - 2 * 2500);
  await own.restart();
  expect(await statusesOf(lone), 'a screen may still be fetching it').toEqual([200, 200]);
  own.clock.advance(HOUR_MS);
  await own.restart();
  expect(await statusesOf(lone)).toEqual([404, 404]);
  expect(await statusesOf(stays), 'another asset names the same bytes').toEqual([200, 200]);
});
