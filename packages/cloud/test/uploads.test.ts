import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { png, sampleMedia } from './support/media.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import {
  append,
  begin,
  cut,
  digest,
  head,
  metadataOf,
  offsetOf,
  read,
  sendPart,
  TUS,
  uploadFiles,
} from './support/tus.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const HOUR_MS = 3_600_000;

/** A video of that size; each differs from others. */
async function videoOf(bytes: number): Promise<Buffer> {
  const clip = await sampleMedia('sample-waves-1280x720.mp4');
  const box = Buffer.alloc(bytes - clip.length);
  randomBytes(64).copy(box, 8);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4, 'latin1');
  return Buffer.concat([clip, box]);
}

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
  expect(await uploadFiles(cloud)).toEqual([]);

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
    await eventually(async () => expect(await offsetOf(cloud.admin, id)).toBeGreaterThan(offset));
    offset = await offsetOf(cloud.admin, id);
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
  expect(await offsetOf(cloud.admin, id)).toBe(20);
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

test('an upload that is given up is gone, with its bytes', async () => {
  const bytes = await png(9);
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  await append(cloud.admin, id, 0, bytes.subarray(0, 30));
  expect((await cloud.admin.delete(`/v1/content/uploads/${id}`)).status).toBe(204);
  expect((await read(cloud.admin, id)).error?.code).toBe('UPLOAD_NOT_FOUND');
  expect((await append(cloud.admin, id, 30, bytes.subarray(30))).error?.code).toBe('UPLOAD_NOT_FOUND');
  expect(await uploadFiles(cloud)).not.toContain(id);
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
  await eventually(async () => expect(await uploadFiles(cloud)).not.toContain(id));
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
