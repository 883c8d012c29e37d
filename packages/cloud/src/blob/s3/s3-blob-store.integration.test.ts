import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../../../test/support/wait-until.ts';
import {
  findBlob,
  listBlobs,
  readBlob,
  receiveBytes,
  storeBytes,
  testBlobStore,
  unused,
} from '../../../test/support/blob-store-contract.ts';
import { S3_CREDENTIALS, sendS3Error, startS3Server } from '../../../test/support/s3-server.ts';
import type { Intercept, S3Server } from '../../../test/support/s3-server.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import { systemClock } from '../../system-clock.ts';
import { openBlobStore } from '../open-blob-store.ts';
import { openStagingFolder } from '../staging.ts';
import { openBucket } from './bucket.ts';
import { createS3BlobStore } from './s3-blob-store.ts';
import type { S3Settings } from './s3-settings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LARGE_BYTES = 20_000_000;

vi.stubEnv('AWS_ACCESS_KEY_ID', S3_CREDENTIALS.AWS_ACCESS_KEY_ID);
vi.stubEnv('AWS_SECRET_ACCESS_KEY', S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY);
vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');

async function startServer(): Promise<S3Server> {
  const server = await startS3Server(tempDir());
  onTestFinished(() => server.stop());
  return server;
}

/** A node of a cloud, with its own staging folder. */
async function openNode(server: S3Server, more: Partial<S3Settings> = {}) {
  const bucket = await openBucket({ ...server.settings, ...more });
  onTestFinished(() => bucket.close());
  const staging = await openStagingFolder(join(tempDir(), 'parts'));
  return { bucket, staging, blobs: createS3BlobStore({ bucket, staging, clock: systemClock }) };
}

async function open() {
  const server = await startServer();
  const { blobs, staging } = await openNode(server);
  return {
    blobs,
    stagingDir: staging.dir,
    makeOlder: (sha256: string, ms: number) => server.makeOlder(`cloud-1/${sha256}`, ms),
  };
}

testBlobStore(open);

test('a file of many parts is read in full and in part', async () => {
  const server = await startServer();
  const { blobs } = await openNode(server);
  const bytes = randomBytes(LARGE_BYTES);
  const staged = await receiveBytes(blobs, bytes);
  await staged.save();
  await staged.release();
  expect(server.requests.filter((line) => line.includes('partNumber=')).length).toBe(3);
  const blob = await findBlob(blobs, staged.sha256);
  expect(blob.size).toBe(LARGE_BYTES);
  const range = { start: LARGE_BYTES - 100, end: LARGE_BYTES - 1 };
  expect((await readBlob(blobs, blob, range)).equals(bytes.subarray(-100))).toBe(true);
  expect((await readBlob(blobs, blob)).equals(bytes)).toBe(true);
});

test('an upload that fails leaves nothing, and succeeds when it is repeated', async () => {
  const server = await startServer();
  const { blobs } = await openNode(server);
  const staged = await receiveBytes(blobs, randomBytes(LARGE_BYTES));
  server.intercept((request, response, url) =>
    request.method === 'PUT' && url.searchParams.get('partNumber') === '3'
      ? sendS3Error(response, 403, 'AccessDenied')
      : false,
  );
  const failure = await staged.save().catch((error: unknown) => error);
  expect(storageFailureOf(failure)).toBe('media_store');
  server.intercept(null);
  expect(await blobs.find(staged.sha256)).toBeNull();
  await waitUntil('the upload to be aborted', async () => (await server.openUploads()).length === 0);
  await staged.save();
  expect(await blobs.find(staged.sha256)).toMatchObject({ size: LARGE_BYTES });
  await staged.release();
});

test('parts that an ended process has left are deleted after a day', async () => {
  const server = await startServer();
  const { bucket, blobs } = await openNode(server);
  const staged = await receiveBytes(blobs, randomBytes(LARGE_BYTES));
  // Neither completed nor aborted: as after a kill.
  server.intercept((request, response, url) =>
    url.searchParams.has('uploadId') && request.method !== 'PUT'
      ? sendS3Error(response, 403, 'AccessDenied')
      : false,
  );
  await expect(staged.save()).rejects.toThrow('AccessDenied');
  server.intercept(null);
  expect(await server.openUploads()).toHaveLength(1);
  await blobs.sweep();
  expect(await server.openUploads(), 'it may still be running').toHaveLength(1);
  await server.makeOlder('', DAY_MS + HOUR_MS);
  await blobs.sweep();
  expect(await server.openUploads()).toEqual([]);
  server.intercept((request, response, url) =>
    url.searchParams.has('uploads') ? sendS3Error(response, 501, 'NotImplemented') : false,
  );
  await blobs.sweep();
  expect(bucket.failure(), 'a server that cannot list uploads').toBeNull();
});

test('a node does not delete what another one saves meanwhile, whatever their clocks say', async () => {
  const server = await startServer();
  const [collecting, uploading] = [await openNode(server), await openNode(server)];
  const slow = createS3BlobStore({
    ...uploading,
    clock: { nowMs: () => systemClock.nowMs() - DAY_MS },
  });
  const bytes = Buffer.from('the same on both');
  const old = await storeBytes(collecting.blobs, bytes);
  await server.makeOlder('', 2 * HOUR_MS);
  const found = await findBlob(collecting.blobs, old.sha256);
  let upload: Promise<unknown> | undefined;
  // The upload ends between the last look and the request that deletes.
  server.intercept((request) => {
    if (request.method === 'DELETE') {
      server.intercept(null);
      upload = storeBytes(slow, bytes);
    }
    return false;
  });
  await collecting.blobs.remove(found, unused);
  await upload;
  const kept = await findBlob(collecting.blobs, old.sha256);
  expect((await readBlob(collecting.blobs, kept)).equals(bytes)).toBe(true);
});

test('versions that are replaced go after an hour, the newest stays', async () => {
  const server = await startServer();
  const { blobs } = await openNode(server);
  const bytes = Buffer.from('again and again');
  const { sha256 } = await storeBytes(blobs, bytes);
  for (let times = 0; times < 2; times++) {
    await storeBytes(blobs, bytes);
  }
  await blobs.touch(sha256);
  await blobs.sweep();
  expect(await server.keys(), 'somebody may be reading them').toHaveLength(4);
  await server.makeOlder('', 2 * HOUR_MS);
  await blobs.sweep();
  expect(await server.keys()).toHaveLength(2);
  expect(await listBlobs(blobs)).toHaveLength(1);
  await blobs.remove(await findBlob(blobs, sha256), unused);
  expect(await server.keys()).toEqual([]);
});

test('a file that is deleted after it was found is not there for who asks for a local copy', async () => {
  const server = await startServer();
  const { blobs, staging } = await openNode(server);
  const { sha256 } = await storeBytes(blobs, Buffer.from('just deleted'));
  server.intercept((request, response, url) =>
    request.method === 'GET' && url.pathname.includes(sha256)
      ? sendS3Error(response, 404, 'NoSuchKey')
      : false,
  );
  expect(await blobs.withFile(sha256, async () => 'called')).toBeNull();
  expect(await readdir(staging.dir)).toEqual([]);
});

test('a cloud sees only what is under its prefix', async () => {
  const server = await startServer();
  const [{ blobs }, other] = [await openNode(server), await openNode(server, { prefix: '' })];
  const { sha256 } = await storeBytes(blobs, Buffer.from('mine'));
  expect(await other.blobs.find(sha256)).toBeNull();
  expect(await listBlobs(other.blobs)).toEqual([]);
  const theirs = await storeBytes(other.blobs, Buffer.from('theirs'));
  expect(await listBlobs(other.blobs)).toMatchObject([{ version: theirs.version }]);
  expect(await listBlobs(blobs)).toHaveLength(1);
});

test('a list of several pages is complete', async () => {
  const server = await startServer();
  const { blobs } = await openNode(server);
  for (let index = 0; index < 5; index++) {
    await storeBytes(blobs, Buffer.from(`file ${index}`));
  }
  // The server of the tests cannot continue a list.
  const keys = await server.keys();
  server.intercept((_request, response, url) => {
    const from = Number(url.searchParams.get('continuation-token') ?? 0);
    const page = keys
      .slice(from, from + 2)
      .map(
        (key) =>
          `<Contents><Key>${key}</Key><Size>6</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
      );
    const isTruncated = from + 2 < keys.length;
    const next = isTruncated ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(
        `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${page.join('')}</ListBucketResult>`,
      );
    return true;
  });
  expect(await listBlobs(blobs)).toHaveLength(5);
});

const refuse =
  (status: number, code: string, more = ''): Intercept =>
  (_request, response) =>
    sendS3Error(response, status, code, more);

test.each([
  ['a bucket that does not exist', { bucket: 'elsewhere' }, null, /elsewhere does not exist.*--blobs/],
  [
    'another region',
    {},
    refuse(400, 'AuthorizationHeaderMalformed', '<Region>eu-central-1</Region>'),
    /another region: eu-central-1.*--s3-region eu-central-1/,
  ],
  ['an unknown key', {}, refuse(403, 'InvalidAccessKeyId'), /credentials .* are refused/],
  ['a wrong secret', {}, refuse(403, 'SignatureDoesNotMatch'), /credentials .* are refused/],
  [
    'a bucket that it may only read',
    {},
    (request, response) => request.method === 'PUT' && sendS3Error(response, 403, 'AccessDenied'),
    /denied .*PutObject/,
  ],
  ['a clock that is wrong', {}, refuse(403, 'RequestTimeTooSkewed'), /Set the clock/],
] satisfies [string, Partial<S3Settings>, Intercept | null, RegExp][])(
  'the start says what is wrong with %s',
  async (_, settings, answer, message) => {
    const server = await startServer();
    server.intercept(answer);
    const { bucket } = await openNode(server, settings);
    await expect(bucket.requireUsable()).rejects.toThrow(message);
    expect(bucket.failure()).toMatch(message);
  },
);

test('a fault of the store does not keep the cloud from starting; wrong settings do', async () => {
  const server = await startServer();
  const open = () => openBlobStore(tempDir(), { s3: server.settings, clock: systemClock });
  server.intercept(refuse(500, 'InternalError'));
  const { bucket } = await open();
  onTestFinished(() => bucket?.close());
  expect(bucket?.failure()).toMatch(/InternalError/);
  server.intercept(null);
  await bucket?.ping();
  expect(bucket?.failure()).toBeNull();
  server.intercept(refuse(403, 'SignatureDoesNotMatch'));
  await expect(open()).rejects.toThrow(/credentials .* are refused/);
});

test('without credentials the start says where to put them', async () => {
  const server = await startServer();
  const { bucket } = await openNode(server);
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(tempDir(), 'none'));
  onTestFinished(() => void vi.stubEnv('AWS_ACCESS_KEY_ID', S3_CREDENTIALS.AWS_ACCESS_KEY_ID));
  await expect(bucket.requireUsable()).rejects.toThrow(/No credentials.*AWS_ACCESS_KEY_ID/);
});

test('a store that is gone and comes back', async () => {
  const server = await startServer();
  const { bucket, blobs } = await openNode(server);
  const blob = await storeBytes(blobs, Buffer.from('there'));
  await server.stop();
  const failure = await blobs.read(blob).catch((error: unknown) => error);
  expect(storageFailureOf(failure)).toBe('media_store');
  expect(bucket.failure()).toMatch(/cannot be reached \(ECONNREFUSED\)/);
  await server.start();
  expect((await readBlob(blobs, blob)).toString()).toBe('there');
  expect(bucket.failure()).toBeNull();
});
