import { afterAll, beforeAll, expect, test } from 'vitest';
import { png } from './support/media.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { append, begin, digest, head, metadataOf, offsetOf, read, TUS, uploadFiles } from './support/tus.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

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
  expect(await uploadFiles(cloud)).not.toContain(id);
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
  expect(await offsetOf(cloud.admin, id)).toBe(0);
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
