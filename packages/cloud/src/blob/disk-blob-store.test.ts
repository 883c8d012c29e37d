import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import {
  findBlob,
  receiveBytes,
  storeBytes,
  testBlobStore,
  unused,
} from '../../test/support/blob-store-contract.ts';
import { systemClock } from '../system-clock.ts';
import { createDiskBlobStore } from './disk-blob-store.ts';

async function open() {
  const folder = tempDir();
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256);
  return {
    blobs: await createDiskBlobStore(folder, systemClock),
    stagingDir: join(folder, 'parts'),
    pathOf,
    async makeOlder(sha256: string, ms: number) {
      const earlier = new Date((await stat(pathOf(sha256))).mtimeMs - ms);
      await utimes(pathOf(sha256), earlier, earlier);
    },
  };
}

testBlobStore(open);

test('a failure to create the file ends the stream', async () => {
  const { blobs, stagingDir } = await open();
  await rm(stagingDir, { recursive: true });
  const stream = Readable.from([Buffer.alloc(1000)]);
  await expect(blobs.receive(stream, 1e9)).rejects.toThrow('ENOENT');
  expect(stream.destroyed).toBe(true);
});

test('a blob is not deleted between save and release, even if saved several times', async () => {
  const { blobs } = await open();
  const [first, second] = [
    await receiveBytes(blobs, Buffer.from('same')),
    await receiveBytes(blobs, Buffer.from('same')),
  ];
  await first.save();
  await second.save();
  await first.release();
  await blobs.remove(await findBlob(blobs, first.sha256), unused);
  expect(await blobs.find(first.sha256)).not.toBeNull();
  await second.release();
  await blobs.remove(await findBlob(blobs, first.sha256), unused);
  expect(await blobs.find(first.sha256)).toBeNull();
});

test.each([
  ['damaged', (path: string, bytes: Buffer) => writeFile(path, bytes.toReversed())],
  ['cut short', (path: string) => truncate(path, 10)],
])('saving the bytes again replaces a %s file, and its current reader continues', async (_, damage) => {
  const { blobs, pathOf, stagingDir } = await open();
  const bytes = randomBytes(600_000);
  const first = await storeBytes(blobs, bytes);
  const path = pathOf(first.sha256);
  await damage(path, bytes);
  const reader = (await blobs.read(first))!;
  await once(reader, 'readable');
  await storeBytes(blobs, bytes);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect((await buffer(reader)).length, 'bytes of the old file').toBeGreaterThan(0);
  expect(await readdir(stagingDir)).toEqual([]);
});
