import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { systemClock } from '../system-clock.ts';
import type { BlobStore, StagedBlob } from './blob-store.ts';
import { createDiskBlobStore } from './disk-blob-store.ts';

let folder: string;
let blobs: BlobStore;
beforeEach(async () => {
  folder = tempDir();
  blobs = await createDiskBlobStore(folder, systemClock);
});

const receive = async (bytes: Buffer, maxBytes = 1e9): Promise<StagedBlob> => {
  const received = await blobs.receive(Readable.from([Buffer.from(bytes)]), maxBytes);
  if (received === 'too_large') {
    throw new Error('too large');
  }
  return received;
};
const stagedFiles = () => readdir(join(folder, 'parts'));

test('bytes are stored under their hash and read back in full or in part', async () => {
  const bytes = randomBytes(100_000);
  const received = await receive(bytes);
  expect(received.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(await blobs.find(received.sha256), 'not before it is saved').toBeNull();
  await received.save();
  await received.release();
  expect(await blobs.find(received.sha256)).toMatchObject({ size: 100_000 });
  expect((await buffer(blobs.read(received.sha256))).equals(bytes)).toBe(true);
  const middle = await buffer(blobs.read(received.sha256, { start: 10, end: 19 }));
  expect(middle.equals(bytes.subarray(10, 20))).toBe(true);
  expect(await stagedFiles()).toEqual([]);
});

test('a chunk loses its memory once it is written, unless it shares it with other data', async () => {
  const shared = randomBytes(100_000);
  const [copy, own] = [Buffer.from(shared), randomBytes(100_000)];
  const chunks = [shared.subarray(0, 30_000), shared.subarray(30_000), own];
  const sha256 = createHash('sha256').update(shared).update(own).digest('hex');
  const received = await blobs.receive(Readable.from(chunks), 1e9);
  expect(received).toMatchObject({ sha256, size: 200_000 });
  expect([shared.equals(copy), own.length]).toEqual([true, 0]);
});

test('an empty stream is an empty blob', async () => {
  const received = await blobs.receive(Readable.from([]), 1e9);
  expect(received).toMatchObject({ sha256: createHash('sha256').digest('hex'), size: 0 });
});

test('a failure to create the file ends the stream', async () => {
  await rm(join(folder, 'parts'), { recursive: true });
  const stream = Readable.from([Buffer.alloc(1000)]);
  await expect(blobs.receive(stream, 1e9)).rejects.toThrow('ENOENT');
  expect(stream.destroyed).toBe(true);
});

test('exactly the limit is accepted, one byte more leaves no file', async () => {
  await (await receive(Buffer.alloc(1000), 1000)).release();
  expect(await blobs.receive(Readable.from([Buffer.alloc(1001)]), 1000)).toBe('too_large');
  expect(await stagedFiles()).toEqual([]);
});

test('a failed stream leaves no file', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.alloc(1000);
      throw new Error('gone');
    })(),
  );
  await expect(blobs.receive(broken, 1e9)).rejects.toThrow('gone');
  expect(await stagedFiles()).toEqual([]);
});

test('an unsaved blob is deleted on release', async () => {
  const received = await receive(Buffer.from('x'));
  await received.release();
  expect(await stagedFiles()).toEqual([]);
  expect(await blobs.find(received.sha256)).toBeNull();
});

test('a blob is not deleted between save and release, even if saved several times', async () => {
  const [first, second] = [await receive(Buffer.from('same')), await receive(Buffer.from('same'))];
  await first.save();
  await second.save();
  await first.release();
  blobs.removeUnlessPinned(first.sha256);
  expect(await blobs.find(first.sha256)).not.toBeNull();
  await second.release();
  blobs.removeUnlessPinned(first.sha256);
  expect(await blobs.find(first.sha256)).toBeNull();
});

test('the age of a blob starts when it was last saved or touched', async () => {
  let nowMs = Date.UTC(2030, 0, 1);
  const blobStore = await createDiskBlobStore(folder, { nowMs: () => nowMs });
  const put = async () => {
    const staged = await blobStore.put(Buffer.from('young'));
    await staged.release();
    return staged.sha256;
  };
  const sha256 = await put();
  const modifiedMs = async () => (await blobStore.find(sha256))?.modifiedMs;
  expect(await modifiedMs()).toBe(nowMs);
  nowMs += 60_000;
  await put();
  expect(await modifiedMs(), 'put again').toBe(nowMs);
  nowMs += 60_000;
  await blobStore.touch(sha256);
  expect(await modifiedMs(), 'touched').toBe(nowMs);
  await blobStore.touch('0'.repeat(64));
});

test('all blobs are listed, and a name that is not a hash is not found', async () => {
  const hashes: string[] = [];
  for (const text of ['a', 'b', 'c']) {
    const staged = await blobs.put(Buffer.from(text));
    await staged.release();
    hashes.push(staged.sha256);
  }
  const listed: string[] = [];
  for await (const { sha256 } of blobs.list()) {
    listed.push(sha256);
  }
  expect(listed.toSorted()).toEqual(hashes.toSorted());
  expect(await blobs.find('../../etc/passwd')).toBeNull();
});

test.each([
  ['damaged', (path: string, bytes: Buffer) => writeFile(path, bytes.toReversed())],
  ['cut short', (path: string) => truncate(path, 10)],
])('saving the bytes again replaces a %s file, and its current reader continues', async (_, damage) => {
  const bytes = randomBytes(600_000);
  const first = await receive(bytes);
  await first.save();
  await first.release();
  const path = join(folder, first.sha256.slice(0, 2), first.sha256);
  await damage(path, bytes);
  const reader = blobs.read(first.sha256);
  await once(reader, 'readable');
  const again = await receive(bytes);
  await again.save();
  await again.release();
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect((await buffer(reader)).length, 'bytes of the old file').toBeGreaterThan(0);
  expect(await stagedFiles()).toEqual([]);
});

test('a blob is provided as a local file, a missing one is not', async () => {
  const received = await receive(Buffer.from('lent'));
  await received.save();
  await received.release();
  expect(await blobs.withFile(received.sha256, (path) => readFile(path, 'utf8'))).toBe('lent');
  expect(await blobs.withFile('0'.repeat(64), async () => 'called')).toBeNull();
});
