import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createApiClient } from './support/client.ts';
import { runCommand } from './support/command-line.ts';
import { png, sampleMedia } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import { S3_CREDENTIALS, sendS3Error, startS3Server } from './support/s3-server.ts';
import type { S3Server } from './support/s3-server.ts';
import { startTestCloud } from './support/test-cloud.ts';
import { append, begin } from './support/tus.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { makeAdminKey, startCloudProcess } from './trials/support/cloud-process.ts';
import { freePort } from '../../../test/support/free-port.ts';

const HOUR_MS = 3_600_000;

for (const [name, value] of Object.entries({ ...S3_CREDENTIALS, AWS_EC2_METADATA_DISABLED: 'true' })) {
  vi.stubEnv(name, value);
}
afterAll(() => void vi.unstubAllEnvs());

let s3: S3Server;
let cloud: TestCloud;
beforeAll(async () => {
  s3 = await startS3Server(tempDir(afterAll));
  cloud = await startTestCloud({ s3: s3.settings });
});
afterAll(async () => {
  await cloud.close();
  await s3.stop();
});

/** For another cloud. */
const place = (prefix: string) => ({ ...s3.settings, prefix });
const keysOf = async (sha256: string) => (await s3.keys()).filter((key) => key.includes(sha256));
const s3Flags = (server: S3Server, blobs = 's3://media/cloud-1') => [
  '--blobs',
  blobs,
  '--s3-endpoint',
  server.settings.endpoint,
  '--s3-path-style',
];
const add = async (bytes: Buffer) => (await cloud.admin.upload(bytes, 'a.png')).data;
const statusesOf = async (asset: { url: string; thumbnail_url: string }) => [
  (await fetch(asset.url)).status,
  (await fetch(asset.thumbnail_url)).status,
];
const on = (dataDir: string, ...args: string[]) => runCommand(...args, '--data', dataDir);

test('files are served from the bucket, with ranges and validators', async () => {
  const bytes = await png(7, 500, 500);
  const { data } = await cloud.admin.upload(bytes, 'r.png');
  expect(await keysOf(data.sha256)).toHaveLength(1);
  expect(await readdir(join(cloud.dataDir, 'blobs')), 'nothing stays on the disk').toEqual(['parts']);
  expect(await readdir(join(cloud.dataDir, 'blobs', 'parts'))).toEqual([]);
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(data.url, { headers, method });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const whole = await get();
  expect(whole.bytes.equals(bytes)).toBe(true);
  expect(Object.fromEntries(whole.response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${data.sha256}"`,
  });
  const middle = await get({ range: 'bytes=10-19' });
  expect(middle.response.status).toBe(206);
  expect(middle.response.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
  expect(middle.bytes.equals(bytes.subarray(10, 20))).toBe(true);
  expect((await get({ range: 'bytes=-5' })).bytes.equals(bytes.subarray(-5))).toBe(true);
  expect((await get({ range: `bytes=${bytes.length}-` })).response.status).toBe(416);
  expect((await get({ range: 'bytes=0-4', 'if-range': '"other"' })).response.status).toBe(200);
  expect((await get({ 'if-none-match': `"${data.sha256}"` })).response.status).toBe(304);
  const head = await get({}, 'HEAD');
  expect([head.response.headers.get('content-length'), head.bytes.length]).toEqual([String(bytes.length), 0]);
  expect((await fetch(data.thumbnail_url)).headers.get('content-type')).toBe('image/webp');
  expect((await fetch(data.url.replace(data.sha256, '0'.repeat(64)))).status).toBe(404);
});

test('files are deleted an hour after the last asset that references them', async () => {
  const shared = await png(8);
  const [gone, stays, lone] = [await add(shared), await add(shared), await add(await png(18))];
  await s3.makeOlder('', 25 * HOUR_MS);
  for (const { id } of [gone, lone]) {
    await cloud.admin.delete(`/v1/content/${id}`);
  }
  const sweeps = () => s3.requests.filter((line) => /[?&]uploads=/.test(line)).length;
  const runJob = async () => {
    const before = sweeps();
    await eventually(() => {
      // The job runs every hour, unless it still runs.
      cloud.clock.advance(HOUR_MS);
      expect(sweeps()).toBeGreaterThan(before);
    });
  };
  await runJob();
  expect(await statusesOf(lone), 'a player may still be downloading it').toEqual([200, 200]);
  await s3.makeOlder('', 2 * HOUR_MS);
  await runJob();
  expect(await statusesOf(lone)).toEqual([404, 404]);
  expect(await keysOf(lone.sha256)).toEqual([]);
  expect(await statusesOf(stays), 'another asset references the same file').toEqual([200, 200]);
});

test('while the bucket cannot be reached, only media wait', async () => {
  const { data } = await cloud.admin.upload(await png(30), 'before.png');
  const readyz = async () => (await fetch(`${cloud.cloud.url}/readyz`)).json();
  expect(await readyz()).toMatchObject({ status: 'ready', media_store: { state: 'ok' } });
  await s3.stop();
  const answers = [
    await cloud.admin.upload(await png(31), 'during.png'),
    await cloud.admin.delete(`/v1/content/${data.id}`),
    await cloud.admin.get(new URL(data.url).pathname),
  ];
  for (const { status, error, headers } of answers) {
    expect([status, error?.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '15']);
    expect(error?.details).toEqual({ reason: 'media_store_unavailable' });
  }
  expect(await readyz()).toMatchObject({ status: 'ready', media_store: { state: 'unavailable' } });
  expect((await cloud.admin.post('/v1/playlists', { name: 'Meanwhile' })).status).toBe(201);
  expect(await readdir(join(cloud.dataDir, 'blobs', 'parts')), 'nothing is left').toEqual([]);
  await s3.start();
  expect((await cloud.admin.upload(await png(31), 'after.png')).status).toBe(201);
  expect((await fetch(data.url)).status).toBe(200);
  expect((await cloud.admin.delete(`/v1/content/${data.id}`)).status).toBe(200);
  expect(await readyz()).toMatchObject({ media_store: { state: 'ok' } });
});

test('an upload continues on a node that has none of its bytes', async () => {
  const picture = await png(40, 300, 300);
  const box = Buffer.alloc(11_000_000);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4, 'latin1');
  const bytes = Buffer.concat([await sampleMedia('sample-waves-1280x720.mp4'), box]);
  const partsOf = async (id: string) => (await s3.keys()).filter((key) => key.includes(`/uploads/${id}/`));
  const { id } = (await begin(cloud.admin, bytes.length)).data;
  expect((await append(cloud.admin, id, 0, bytes.subarray(0, 10_000_000))).status).toBe(204);
  expect(await partsOf(id)).toHaveLength(2);
  expect(await readdir(join(cloud.dataDir, 'blobs', 'parts'))).toEqual([]);
  const wrong = await append(cloud.admin, id, 10_000_000, bytes.subarray(10_000_000), {
    'upload-checksum': `sha1 ${createHash('sha1').update('other').digest('base64')}`,
  });
  expect(wrong.error?.code).toBe('CHECKSUM_MISMATCH');
  expect(await partsOf(id), 'nothing is left of what was discarded').toHaveLength(2);
  await cloud.restart();
  const last = await append(cloud.admin, id, 10_000_000, bytes.subarray(10_000_000));
  const asset = (await cloud.admin.get(`/v1/content/${last.headers.get('placard-asset')}`)).data;
  expect(asset.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(Buffer.from(await (await fetch(asset.url)).arrayBuffer()).equals(bytes)).toBe(true);
  expect(await partsOf(id)).toEqual([]);
  expect(await readdir(join(cloud.dataDir, 'blobs', 'parts'))).toEqual([]);

  const lost = (await begin(cloud.admin, picture.length)).data.id;
  await append(cloud.admin, lost, 0, picture.subarray(0, 100));
  s3.intercept((request, response, url) =>
    request.method === 'GET' && url.pathname.includes(lost) ? sendS3Error(response, 404, 'NoSuchKey') : false,
  );
  expect((await append(cloud.admin, lost, 100, picture.subarray(100))).error?.code).toBe('UPLOAD_GONE');
  s3.intercept(null);
});

test('a node that is killed during an upload leaves no asset, and no file after its next start', async () => {
  const dataDir = tempDir();
  const options = {
    dataDir,
    port: await freePort(),
    adminKey: makeAdminKey(),
    args: s3Flags(s3, 's3://media/killed'),
  };
  // Noise, so that it takes more than one part of 8 MB.
  const raw = { width: 1750, height: 1750, channels: 3 } as const;
  const bytes = await sharp(randomBytes(1750 * 1750 * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const client = createApiClient({
    url: () => `http://127.0.0.1:${options.port}`,
    secret: options.adminKey,
    beforeRequest: () => {},
  });
  let node = await startCloudProcess(options);
  onTestFinished(() => node.kill9());
  s3.intercept((_request, _response, url) => {
    if (url.searchParams.get('partNumber') === '2') {
      s3.intercept(null);
      void node.kill9();
    }
    return false;
  });
  await expect(client.upload(bytes, 'large.png')).rejects.toThrow('fetch failed');
  const stored = async () =>
    (await s3.keys()).filter((key) => key.startsWith('killed/') && key !== 'killed/cloud');
  expect(await stored()).toEqual([]);
  expect(await s3.openUploads(), 'which a day later are aborted').toHaveLength(1);
  node = await startCloudProcess(options);
  expect((await client.get('/v1/content')).data).toEqual([]);
  expect(await readdir(join(dataDir, 'blobs', 'parts'))).toEqual([]);
  const { data } = await client.upload(bytes, 'large.png');
  expect(data.size).toBe(bytes.length);
  expect((await stored()).filter((key) => key.includes(data.sha256))).toHaveLength(1);
});

test('with redirects, clients get the bytes from the bucket itself', async () => {
  const own = await startTestCloud({ s3: place('redirected'), mediaDelivery: 'redirect' });
  onTestFinished(() => own.close());
  const bytes = await png(50, 300, 300);
  const { data } = await own.admin.upload(bytes, 'redirected.png');
  const answer = await fetch(data.url, { redirect: 'manual' });
  const location = new URL(answer.headers.get('location') ?? '');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
  expect([location.origin, location.searchParams.get('X-Amz-Expires')]).toEqual([s3.url, '3600']);
  const followed = await fetch(data.url, { headers: { range: 'bytes=10-19' } });
  expect([followed.status, followed.headers.get('content-type')]).toEqual([206, 'image/png']);
  expect(Buffer.from(await followed.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
  const head = await fetch(data.url, { method: 'HEAD', redirect: 'manual' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
  const known = await fetch(data.url, {
    headers: { 'if-none-match': `"${data.sha256}"` },
    redirect: 'manual',
  });
  expect(known.status).toBe(304);
  const screen = await pairDevice(own);
  const manifest = (await screen.client.get('/v1/player/manifest')).data;
  expect(manifest.media_hosts, 'a player follows no other redirects').toEqual([
    new URL(own.cloud.url).host,
    location.host,
  ]);
});

test('a content delivery network is named in URLs and manifests, and fetches from the cloud', async () => {
  const own = await startTestCloud({ s3: place('far'), cdnUrl: 'https://cdn.example/media/' });
  onTestFinished(() => own.close());
  const { data } = await own.admin.upload(await png(51), 'far.png');
  expect(data.url).toBe(`https://cdn.example/media/${data.sha256}.png`);
  expect(data.thumbnail_url).toMatch(/^https:\/\/cdn\.example\/media\/[0-9a-f]{64}\.webp$/);
  expect((await fetch(`${own.cloud.url}/cdn/${data.sha256}.png`)).status).toBe(200);
  const screen = await pairDevice(own);
  const manifest = (await screen.client.get('/v1/player/manifest')).data;
  expect(manifest.media_hosts).toEqual(['cdn.example']);
});

// With a database on PostgreSQL: `postgres/backup.test.ts`.
test.skipIf(inject('postgres') !== undefined)('backup, restore and doctor work with a bucket', async () => {
  const folder = tempDir();
  const disk = await startTestCloud();
  onTestFinished(() => disk.close());
  const { data } = await disk.admin.upload(await png(40), 'moved.png');
  const [full, small] = [join(folder, 'full.tar'), join(folder, 'small.tar')];
  await on(disk.dataDir, 'backup', full);
  const restored = join(folder, 'restored');
  const bucket = s3Flags(s3, 's3://media/restored');
  expect(await on(restored, 'restore', full, ...bucket)).toMatchObject({ code: 0, stderr: '' });
  expect(await keysOf(data.sha256), 'the media go to the bucket').toHaveLength(1);
  const healthy = await on(restored, 'doctor', '--no-video-decoder', ...bucket);
  expect(healthy.stdout).toMatch(/ok +media +All 2 media files are in s3:\/\/media\/restored .* right size/);

  const saved = await on(restored, 'backup', small, ...bucket);
  expect(saved.stdout).toMatch(/^Wrote 1 files[^]*database only[^]*s3:\/\/media\/restored/);
  const again = join(folder, 'again');
  expect(await on(again, 'restore', small, ...bucket)).toMatchObject({ code: 0, stderr: '' });
  const elsewhere = await on(again, 'doctor', '--no-video-decoder', ...s3Flags(s3, 's3://media/elsewhere'));
  expect(elsewhere).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/BAD +media +The file .* missing/),
  });
});

test('a start that cannot use its bucket says so in one line', async () => {
  const dataDir = tempDir();
  const start = (...flags: string[]) => runCommand('--data', dataDir, '--port', '0', ...flags);
  const noBucket = await start(...s3Flags(s3, 's3://nowhere'));
  expect(noBucket).toMatchObject({ code: 1, stdout: '' });
  expect(noBucket.stderr).toMatch(/^The bucket nowhere does not exist.*\n$/);
  const noServer = await start(
    '--blobs',
    's3://media',
    '--s3-endpoint',
    `http://127.0.0.1:${await freePort()}`,
  );
  expect(noServer.stderr).toMatch(
    /^The media store of s3:\/\/media .* cannot be reached \(ECONNREFUSED\).*\n$/,
  );
  const redirect = ['--media-delivery', 'redirect'];
  expect((await start(...redirect)).stderr).toMatch(/^--media-delivery redirect needs a bucket.*\n$/);
  const both = await start(...s3Flags(s3), ...redirect, '--cdn-url', 'https://cdn.example');
  expect(both.stderr).toMatch(/^--cdn-url and --media-delivery redirect exclude each other.*\n$/);
  expect((await start('--blobs', 'gs://media')).stderr).toContain('s3://my-bucket');
  const secret = 'http://user:hunter2@127.0.0.1';
  expect((await start('--blobs', 's3://media', '--s3-endpoint', secret)).stderr).toContain('without user');
});
