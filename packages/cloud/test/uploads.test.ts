import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { png, sampleMedia } from './support/media.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { append, begin, cut, head, metadataOf, read, sendPart, TUS } from './support/tus.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const HOUR_MS = 3_600_000;
const digest = (algorithm: string, bytes: Uint8Array, encoding: 'hex' | 'base64') =>
  createHash(algorithm).update(bytes).digest(encoding);

/** A video of that size; each differs from others. */
async function videoOf(bytes: number): Promise<Buffer> {
  const clip = await sampleMedia('sample-waves-1280x720.mp4');
  const box = Buffer.alloc(bytes - clip.length);
  randomBytes(64).copy(box, 8);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4, 'latin1');
  return Buffer.concat([clip, box]);
}

/** Names of the files of uploads on the disk of the first node. */
const files = () => readdir(join(cloud.dataDir, 'blobs', 'uploads')).catch(() => []);
const offsetOf = async (id: string) => (await read(cloud.admin, id)).data.offset;

test('a file that is sent in pieces becomes the same asset as one of a form', async () => {
  const bytes = await png(1, 320, 200);
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'F' })).data;
  const begun = await begin(cloud.admin, bytes.length, {
    filename: 'C:\\pictures\\menu.png',
    tags: 'menu, lunch,menu,',
    folder_id: folder.id,
    sha256: digest('sha256', bytes, 'hex').toUpperCase(),
    filetype: 'image/png',
  });
  expect(begun.status).toBe(201);
  const { id } = begun.data;
  expect(begun.data).toMatchObject({
    id: expect.stringMatching(/^upload_/),
    name: 'menu.png',
    state: 'receiving',
    offset: 0,
    size: bytes.length,
    asset_id: null,
  });
  expect(begun.headers.get('location')).toBe(`${cloud.cloud.url}/v1/content/uploads/${id}`);
  expect(begun.headers.get('tus-resumable')).toBe('1.0.0');
  const first = await append(cloud.admin, id, 0, bytes.subarray(0, 100));
  expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '100']);
  expect(first.headers.get('placard-asset')).toBeNull();
  expect(await head(cloud.admin, id)).toMatchObject({ status: 200, offset: '100' });
  const last = await append(cloud.admin, id, 100, bytes.subarray(100));
  expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(bytes.length)]);
  const assetId = last.headers.get('placard-asset');
  const finished = (await read(cloud.admin, id)).data;
  expect(finished).toMatchObject({ state: 'finished', offset: bytes.length, asset_id: assetId, error: null });
  const asset = (await cloud.admin.get(`/v1/content/${assetId}`)).data;
  expect(finished.asset).toEqual(asset);
  const form = await cloud.admin.upload(bytes, 'menu.png', { tags: 'menu,lunch', folder_id: folder.id });
  const own = { id: asset.id, created_at: asset.created_at, updated_at: asset.updated_at };
  expect({ ...form.data, ...own }).toEqual(asset);
  expect(await head(cloud.admin, id)).toMatchObject({ status: 200, offset: String(bytes.length) });
  expect(await files()).toEqual([]);

  const events = (await cloud.admin.get(`/v1/events?resource=${assetId}`)).data;
  expect(events).toMatchObject([{ type: 'content.created', data: { content: { id: assetId } } }]);
  const [entry] = (await cloud.admin.get(`/v1/audit-log?resource_id=${assetId}`)).data;
  expect(entry).toMatchObject({ action: 'content.created', actor: { type: 'api_key' } });
  expect(entry.request_id).toBe(begun.headers.get('x-request-id'));
});

test('what arrives before the connection breaks is kept, and the upload continues there', async () => {
  const bytes = await videoOf(1_500_000);
  const { id } = (await begin(cloud.admin, bytes.length, { name: 'Waves' })).data;
  let offset = 0;
  for (const end of [200_000, 700_000, 1_300_000]) {
    const part = bytes.subarray(offset, end);
    const announced = bytes.length - offset;
    await cut(await sendPart(cloud.cloud.url, { id, offset, bytes: part, announced }));
    // It is recorded once, when the cloud notices. What it has not read by then, at most 64 kB or so, is lost.
    await eventually(async () => expect(await offsetOf(id)).toBeGreaterThan(offset));
    offset = await offsetOf(id);
    expect(offset).toBeLessThanOrEqual(end);
  }
  expect((await head(cloud.admin, id)).headers.get('upload-metadata')).toBe(metadataOf({ name: 'Waves' }));
  const last = await append(cloud.admin, id, offset, bytes.subarray(offset));
  const asset = (await cloud.admin.get(`/v1/content/${last.headers.get('placard-asset')}`)).data;
  expect(asset).toMatchObject({ name: 'Waves', type: 'video', sha256: digest('sha256', bytes, 'hex') });
  const stored = Buffer.from(await (await fetch(asset.url)).arrayBuffer());
  expect(stored.equals(bytes)).toBe(true);
});

test('an upload continues after a restart of the cloud', async () => {
  const bytes = await png(3, 300, 300);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await append(cloud.admin, id, 0, bytes.subarray(0, 400));
  const announced = bytes.length - 400;
  await sendPart(cloud.cloud.url, { id, offset: 400, bytes: bytes.subarray(400, 450), announced });
  await cloud.restart();
  const { offset } = (await read(cloud.admin, id)).data;
  expect(offset).toBeGreaterThanOrEqual(400);
  const last = await append(cloud.admin, id, offset, bytes.subarray(offset));
  expect(last.headers.get('placard-asset')).toMatch(/^asset_/);
});

test('a request at another offset is a conflict that changes nothing', async () => {
  const bytes = await png(4);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await append(cloud.admin, id, 0, bytes.subarray(0, 20));
  for (const offset of [0, 19, 21]) {
    const { error } = await append(cloud.admin, id, offset, bytes.subarray(offset));
    expect(error).toMatchObject({ code: 'CONFLICT', details: { offset: 20 } });
  }
  const tooMuch = await append(cloud.admin, id, 20, bytes);
  expect(tooMuch.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'content-length' }] });
  expect(await offsetOf(id)).toBe(20);
  await append(cloud.admin, id, 20, bytes.subarray(20));
  expect((await read(cloud.admin, id)).data.state).toBe('finished');
});

test('a finished upload takes no more bytes, and stays as it is', async () => {
  const bytes = await png(15);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await append(cloud.admin, id, 0, bytes);
  const finished = (await read(cloud.admin, id)).data;
  expect(finished.state).toBe('finished');
  const more = await append(cloud.admin, id, bytes.length, Buffer.from('x'));
  expect([more.status, more.error]).toEqual([
    400,
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [
        {
          path: 'content-length',
          message: `must be 0: the upload has all of its ${bytes.length} bytes already`,
        },
      ],
    }),
  ]);
  const streamed = (...chunks: string[]) =>
    cloud.admin.send('PATCH', `/v1/content/uploads/${id}`, {
      headers: {
        ...TUS,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': `${bytes.length}`,
      },
      body: ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk))),
      duplex: 'half',
    });
  expect((await streamed('x')).error?.details).toEqual([
    { path: '', message: `must have no bytes: the upload has all of its ${bytes.length} bytes already` },
  ]);
  for (const none of [await streamed(), await append(cloud.admin, id, bytes.length, Buffer.alloc(0))]) {
    expect([none.status, none.headers.get('placard-asset')]).toEqual([204, finished.asset_id]);
  }
  expect((await read(cloud.admin, id)).data).toEqual(finished);
  const stored = Buffer.from(await (await fetch(finished.asset.url)).arrayBuffer());
  expect(stored.equals(bytes)).toBe(true);
});

test('an upload begins whatever content type its request without a body has', async () => {
  for (const type of ['application/octet-stream', 'application/offset+octet-stream', 'text/plain']) {
    const begun = await begin(cloud.admin, 10, {}, { 'content-type': type });
    expect([begun.status, begun.data?.offset], type).toEqual([201, 0]);
    const withBytes = await cloud.admin.send('POST', '/v1/content/uploads', {
      headers: { ...TUS, 'upload-length': '10', 'content-type': type },
      body: 'x',
    });
    expect(withBytes.error?.code, type).toBe('UNSUPPORTED_MEDIA_TYPE');
  }
});

test('asking where to continue ends the request that still sends, and keeps its bytes', async () => {
  if (process.env['PLACARD_TEST_NODES'] !== undefined) {
    // The request may be on another node; which of two is recorded is decided in the database then.
    return;
  }
  const bytes = await png(5, 200, 200);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  const part = { id, offset: 0, bytes: bytes.subarray(0, 300), announced: bytes.length };
  let request = await sendPart(cloud.cloud.url, part);
  await eventually(async () => {
    // It was ended before the cloud had read its bytes.
    if (request.destroyed) {
      request = await sendPart(cloud.cloud.url, part);
    }
    expect((await head(cloud.admin, id)).offset).toBe('300');
  });
  await eventually(() => expect(request.destroyed).toBe(true));
  const last = await append(cloud.admin, id, 300, bytes.subarray(300));
  expect(last.status).toBe(204);
});

test('only the key that began an upload, or an Admin, may continue it', async () => {
  const bytes = await png(6);
  const [owner, other, reader] = [
    cloud.clientFor(await cloud.createKey('Write')),
    cloud.clientFor(await cloud.createKey('Write')),
    cloud.clientFor(await cloud.createKey('Read')),
  ];
  const { id } = (await begin(owner, bytes.length)).data;
  const head20 = bytes.subarray(0, 20);
  expect((await append(other, id, 0, head20)).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect((await append(reader, id, 0, head20)).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect((await other.delete(`/v1/content/uploads/${id}`)).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect((await append(owner, id, 0, head20)).status).toBe(204);
  expect((await read(reader, id)).data).toMatchObject({ state: 'receiving', offset: 20 });
  const listed = await reader.get('/v1/content/uploads?state=receiving');
  expect(listed.data.some((each: { id: string }) => each.id === id)).toBe(true);
  expect((await append(cloud.admin, id, 20, bytes.subarray(20))).status).toBe(204);
});

test('a file that no screen can show fails with the reason, and leaves nothing', async () => {
  const bytes = Buffer.from('hello, this is no picture');
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  const { error } = await append(cloud.admin, id, 0, bytes);
  expect(error).toMatchObject({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    details: { reason: 'unsupported_format' },
  });
  expect((await read(cloud.admin, id)).data).toMatchObject({
    state: 'failed',
    error: { code: error?.code, message: error?.message, details: { reason: 'unsupported_format' } },
    asset: null,
  });
  expect((await head(cloud.admin, id)).status).toBe(410);
  expect((await append(cloud.admin, id, bytes.length, Buffer.alloc(0))).error?.code).toBe('UPLOAD_GONE');
  expect(await files()).not.toContain(id);
});

test('a file with another hash than that of its metadata fails', async () => {
  const bytes = await png(7);
  const { id } = (await begin(cloud.admin, bytes.length, { sha256: 'a'.repeat(64) })).data;
  const { error } = await append(cloud.admin, id, 0, bytes);
  expect(error).toMatchObject({
    code: 'CHECKSUM_MISMATCH',
    details: { expected: 'a'.repeat(64), actual: digest('sha256', bytes, 'hex') },
  });
  expect((await read(cloud.admin, id)).data.state).toBe('failed');
});

test('with a checksum the bytes of a request are stored if it is right, and otherwise none', async () => {
  const bytes = await png(8);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  const send = (offset: number, part: Buffer, checksum: string) =>
    append(cloud.admin, id, offset, part, { 'upload-checksum': checksum });
  const [first, rest] = [bytes.subarray(0, 60), bytes.subarray(60)];
  const wrong = await send(0, first, `sha1 ${digest('sha1', rest, 'base64')}`);
  expect([wrong.status, wrong.error?.code]).toEqual([460, 'CHECKSUM_MISMATCH']);
  expect(await offsetOf(id)).toBe(0);
  expect((await send(0, first, `crc32 ${digest('sha1', first, 'base64')}`)).error?.details).toEqual([
    { path: 'upload-checksum', message: expect.stringContaining('sha1') },
  ]);
  expect((await send(0, first, `sha1 ${digest('sha1', first, 'base64')}`)).status).toBe(204);
  const last = await send(60, rest, `sha256 ${digest('sha256', rest, 'base64')}`);
  expect(last.headers.get('placard-asset')).toMatch(/^asset_/);
});

test('a request that cannot begin an upload says why', async () => {
  const problemsOf = async (headers: Record<string, string>) => {
    const all = { ...TUS, 'upload-length': '10', ...headers };
    const { error } = await cloud.admin.call('POST', '/v1/content/uploads', undefined, all);
    return error?.details.map(({ path }: { path: string }) => path);
  };
  expect(await problemsOf({ 'upload-length': '0' })).toEqual(['upload-length']);
  expect(await problemsOf({ 'upload-length': '-1' })).toEqual(['upload-length']);
  expect(await problemsOf({ 'upload-concat': 'partial' })).toEqual(['upload-concat']);
  expect(await problemsOf({ 'upload-metadata': 'name ü' })).toEqual(['upload-metadata']);
  expect(await problemsOf({ 'upload-metadata': 'name YQ==,name YQ==' })).toEqual(['upload-metadata']);
  expect(await problemsOf({ 'upload-metadata': metadataOf({ sha256: 'x' }) })).toEqual([
    'upload-metadata.sha256',
  ]);
  const deferred = await cloud.admin.call('POST', '/v1/content/uploads', undefined, {
    ...TUS,
    'upload-defer-length': '1',
  });
  expect(deferred.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'upload-length' }] });
  expect((await begin(cloud.admin, 2_147_483_649)).error?.code).toBe('FILE_TOO_LARGE');
  expect((await begin(cloud.admin, 10, { folder_id: 'folder_x' })).error?.code).toBe('FOLDER_NOT_FOUND');
  const old = await begin(cloud.admin, 10, {}, { 'tus-resumable': '0.2.2' });
  expect([old.status, old.error?.code]).toEqual([412, 'TUS_VERSION_UNSUPPORTED']);
  expect(old.headers.get('tus-version')).toBe('1.0.0');
  const { id } = (await begin(cloud.admin, 10)).data;
  const json = await append(cloud.admin, id, 0, Buffer.from('{}'), { 'content-type': 'application/json' });
  expect(json.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect((await read(cloud.admin, 'upload_x')).error?.code).toBe('UPLOAD_NOT_FOUND');
});

test('a repeated request to begin an upload gets the first one, and one for another file a conflict', async () => {
  const again = { 'idempotency-key': 'upload-1' };
  const first = await begin(cloud.admin, 1000, { name: 'Menu' }, again);
  const second = await begin(cloud.admin, 1000, { name: 'Menu' }, again);
  expect(second.data).toEqual(first.data);
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect((await begin(cloud.admin, 1001, { name: 'Menu' }, again)).error?.code).toBe('CONFLICT');
  expect((await begin(cloud.admin, 1000, { name: 'Price' }, again)).error?.code).toBe('CONFLICT');
});

test('unfinished uploads of a key are limited in number and size', async () => {
  const client = cloud.clientFor(await cloud.createKey('Write'));
  const large = 2_147_483_648;
  const ids = [];
  for (let n = 0; n < 16; n++) {
    ids.push((await begin(client, large)).data.id);
  }
  const excess = await begin(client, 1);
  expect(excess.error).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'too_many_uploads' } });
  expect(excess.headers.get('retry-after')).toBe('60');
  expect((await begin(cloud.admin, 1)).status, 'of another key').toBe(201);
  for (const id of ids) {
    expect((await client.delete(`/v1/content/uploads/${id}`)).status).toBe(204);
  }
  for (let n = 0; n < 50; n++) {
    expect((await begin(client, 1)).status).toBe(201);
  }
  expect((await begin(client, 1)).error?.code).toBe('RATE_LIMITED');
});

test('an upload that is given up is gone, with its bytes', async () => {
  const bytes = await png(9);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await append(cloud.admin, id, 0, bytes.subarray(0, 30));
  expect((await cloud.admin.delete(`/v1/content/uploads/${id}`)).status).toBe(204);
  expect((await read(cloud.admin, id)).error?.code).toBe('UPLOAD_NOT_FOUND');
  expect((await append(cloud.admin, id, 30, bytes.subarray(30))).error?.code).toBe('UPLOAD_NOT_FOUND');
  expect(await files()).not.toContain(id);
});

test('an upload expires a day after its last bytes', async () => {
  const bytes = await png(10);
  const begun = await begin(cloud.admin, bytes.length);
  const { id } = begun.data;
  const lifetime = Date.parse(begun.headers.get('upload-expires') ?? '') - cloud.clock.nowMs();
  expect(Math.round(lifetime / HOUR_MS)).toBe(24);
  cloud.clock.advance(23 * HOUR_MS);
  expect((await append(cloud.admin, id, 0, bytes.subarray(0, 30))).status).toBe(204);
  cloud.clock.advance(23 * HOUR_MS);
  expect((await head(cloud.admin, id)).offset).toBe('30');
  cloud.clock.advance(2 * HOUR_MS);
  await eventually(async () => {
    cloud.clock.advance(60_000);
    expect((await read(cloud.admin, id)).error?.code).toBe('UPLOAD_NOT_FOUND');
  });
  await eventually(async () => expect(await files()).not.toContain(id));
});

test('a complete upload that its node did not finish is finished by another, once', async () => {
  const bytes = await png(11);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  // As if a node had begun to, and ended.
  await cloud.inDatabase((db) =>
    sql`update uploads set busy_until = ${cloud.clock.nowMs() + 60_000} where id = ${id}`.execute(db),
  );
  const last = await append(cloud.admin, id, 0, bytes);
  expect([last.status, last.headers.get('placard-asset')]).toEqual([204, null]);
  expect((await read(cloud.admin, id)).data).toMatchObject({ state: 'processing', asset: null });
  expect((await cloud.admin.delete(`/v1/content/uploads/${id}`)).error?.code).toBe('CONFLICT');
  await eventually(async () => {
    cloud.clock.advance(5000);
    expect((await read(cloud.admin, id)).data.state).toBe('finished');
  });
  const found = await cloud.admin.get('/v1/content?limit=100');
  const hash = digest('sha256', bytes, 'hex');
  expect(found.data.filter(({ sha256 }: { sha256: string }) => sha256 === hash)).toHaveLength(1);
});

test('bytes that are no longer there make a client begin again', async () => {
  const bytes = await png(12);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await cloud.inDatabase((db) => sql`update uploads set received = 40 where id = ${id}`.execute(db));
  expect((await head(cloud.admin, id)).status).toBe(410);
  expect((await append(cloud.admin, id, 40, bytes.subarray(40))).error?.code).toBe('UPLOAD_GONE');
});

test('requests that continue uploads do not count with the others of the key', async () => {
  const client = cloud.clientFor(await cloud.createKey('Write'));
  const bytes = await png(13);
  const begun = await begin(client, bytes.length);
  expect(begun.headers.get('ratelimit-limit')).toBe('30');
  for (let offset = 0; offset < 40; offset++) {
    const { headers } = await append(client, begun.data.id, offset, bytes.subarray(offset, offset + 1));
    expect(headers.get('ratelimit-limit')).toBe('600');
  }
  const other = await client.get('/v1/content/uploads');
  expect(Number(other.headers.get('ratelimit-remaining'))).toBeGreaterThan(25);
});

test('progress is an event at each tenth, and so is the end', async () => {
  const bytes = await videoOf(20_000_000);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await append(cloud.admin, id, 0, bytes);
  const events = (await cloud.admin.get(`/v1/events?resource=${id}&types=upload.*`)).data;
  const seen = events.map(({ data }: { data: { upload: { state: string; offset: number } } }) => [
    data.upload.state,
    data.upload.offset,
  ]);
  expect(seen).toEqual([
    ['receiving', 8_388_608],
    ['receiving', 16_777_216],
    ['finished', bytes.length],
  ]);
});

test('a client of tus can ask what is spoken, without a key and from a web page', async () => {
  const spoken = await cloud.clientFor(null).raw('/v1/content/uploads', { method: 'OPTIONS' });
  expect(spoken.status).toBe(204);
  expect(Object.fromEntries(spoken.headers)).toMatchObject({
    'tus-resumable': '1.0.0',
    'tus-version': '1.0.0',
    'tus-extension': 'creation,expiration,checksum,termination',
    'tus-checksum-algorithm': 'sha1,sha256,md5',
    'tus-max-size': '2147483648',
  });
  const origin = 'https://app.example';
  const open = await startTestCloud({ corsOrigins: [origin] });
  try {
    const preflight = await open.clientFor(null).raw('/v1/content/uploads/upload_x', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
    const allowed = preflight.headers.get('access-control-allow-headers');
    const begun = await begin(open.admin, 10, {}, { origin });
    const exposed = begun.headers.get('access-control-expose-headers');
    for (const name of ['tus-resumable', 'upload-offset', 'upload-length', 'upload-metadata']) {
      expect(allowed).toContain(name);
      expect(exposed).toContain(name);
    }
    expect(exposed).toContain('location');
  } finally {
    await open.close();
  }
});

test('below the disk floor no upload begins, and one that was begun waits', async () => {
  const full = await startTestCloud({ minFreeBytes: 10 ** 15 });
  try {
    expect((await begin(full.admin, 10)).error?.code).toBe('INSUFFICIENT_STORAGE');
    await full.restart(0, { minFreeBytes: 0 });
    const bytes = await png(14);
    const { id } = (await begin(full.admin, bytes.length)).data;
    await append(full.admin, id, 0, bytes.subarray(0, 50));
    await full.restart(0, { minFreeBytes: 10 ** 15 });
    const refused = await append(full.admin, id, 50, bytes.subarray(50));
    expect(refused.error).toMatchObject({
      code: 'INSUFFICIENT_STORAGE',
      details: { reason: 'below_floor' },
    });
    expect((await head(full.admin, id)).offset).toBe('50');
    await full.restart(0, { minFreeBytes: 0 });
    const last = await append(full.admin, id, 50, bytes.subarray(50));
    expect(last.headers.get('placard-asset')).toMatch(/^asset_/);
  } finally {
    await full.close();
  }
});
