import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { BlobStore, Received } from './blob-store.ts';
import { createDiskBlobStore } from './disk.ts';

let folder: string;
let blobs: BlobStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-blobs-'));
  blobs = await createDiskBlobStore(folder, systemClock);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const receive = async (bytes: Buffer, maxBytes = 1e9): Promise<Received> => {
  const received = await blobs.receive(Readable.from([bytes]), maxBytes);
  if (received === 'too_large') throw new Error('too large');
  return received;
};
const parts = () => readdir(join(folder, 'parts'));

test('bytes are kept under their hash, and read back whole or in part', async () => {
  const bytes = randomBytes(100_000);
  const received = await receive(bytes);
  expect(received.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(await blobs.find(received.sha256), 'not before it is kept').toBeNull();
  await received.keep();
  await received.release();
  expect(await blobs.find(received.sha256)).toMatchObject({ size: 100_000 });
  expect((await buffer(blobs.read(received.sha256))).equals(bytes)).toBe(true);
  const middle = await buffer(blobs.read(received.sha256, { start: 10, end: 19 }));
  expect(middle.equals(bytes.subarray(10, 20))).toBe(true);
  expect(await parts()).toEqual([]);
});

test('exactly the limit passes, one byte more leaves nothing', async () => {
  await (await receive(Buffer.alloc(1000), 1000)).release();
  expect(await blobs.receive(Readable.from([Buffer.alloc(1001)]), 1000)).toBe('too_large');
  expect(await parts()).toEqual([]);
});

test('a stream that breaks off leaves nothing', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.alloc(1000);
      throw new Error('gone');
    })(),
  );
  await expect(blobs.receive(broken, 1e9)).rejects.toThrow('gone');
  expect(await parts()).toEqual([]);
});

test('what is not kept is thrown away when it is released', async () => {
  const received = await receive(Buffer.from('x'));
  await received.release();
  expect(await parts()).toEqual([]);
  expect(await blobs.find(received.sha256)).toBeNull();
});

test('a file is not removed between being kept and being released, however often it is kept', async () => {
  const [first, second] = [await receive(Buffer.from('same')), await receive(Buffer.from('same'))];
  await first.keep();
  await second.keep();
  await first.release();
  blobs.removeUnlessHeld(first.sha256);
  expect(await blobs.find(first.sha256)).not.toBeNull();
  await second.release();
  blobs.removeUnlessHeld(first.sha256);
  expect(await blobs.find(first.sha256)).toBeNull();
});

test('a file is as young as when it was last put or touched', async () => {
  let nowMs = Date.UTC(2030, 0, 1);
  const store = await createDiskBlobStore(folder, { nowMs: () => nowMs });
  const put = async () => {
    const kept = await store.put(Buffer.from('young'));
    await kept.release();
    return kept.sha256;
  };
  const sha256 = await put();
  const modifiedMs = async () => (await store.find(sha256))?.modifiedMs;
  expect(await modifiedMs()).toBe(nowMs);
  nowMs += 60_000;
  await put();
  expect(await modifiedMs(), 'put again').toBe(nowMs);
  nowMs += 60_000;
  await store.touch(sha256);
  expect(await modifiedMs(), 'touched').toBe(nowMs);
  await store.touch('0'.repeat(64));
});

test('all files are listed, and a name that is no hash is no file', async () => {
  const hashes: string[] = [];
  for (const text of ['a', 'b', 'c']) {
    const kept = await blobs.put(Buffer.from(text));
    await kept.release();
    hashes.push(kept.sha256);
  }
  const listed: string[] = [];
  for await (const { sha256 } of blobs.list()) listed.push(sha256);
  expect(listed.toSorted()).toEqual(hashes.toSorted());
  expect(await blobs.find('../../etc/passwd')).toBeNull();
});

test.each([
  ['damaged', (path: string, bytes: Buffer) => writeFile(path, bytes.toReversed())],
  ['cut short', (path: string) => truncate(path, 10)],
])(
  'bytes that are put again take the place of a %s file, and a reader of that one reads on',
  async (_, spoil) => {
    const bytes = randomBytes(600_000);
    const first = await receive(bytes);
    await first.keep();
    await first.release();
    const path = join(folder, first.sha256.slice(0, 2), first.sha256);
    await spoil(path, bytes);
    const reader = blobs.read(first.sha256);
    await once(reader, 'readable');
    const again = await receive(bytes);
    await again.keep();
    await again.release();
    expect((await readFile(path)).equals(bytes)).toBe(true);
    expect((await buffer(reader)).length, 'what it began with').toBeGreaterThan(0);
    expect(await parts()).toEqual([]);
  },
);

test('the bytes are lent as a local file, and none is lent of what is not there', async () => {
  const received = await receive(Buffer.from('lent'));
  await received.keep();
  await received.release();
  expect(await blobs.withFile(received.sha256, (path) => readFile(path, 'utf8'))).toBe('lent');
  expect(await blobs.withFile('0'.repeat(64), async () => 'called')).toBeNull();
});
