import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import type { BlobInfo, BlobStore, StagedBlob } from '../../src/blob/blob-store.ts';
import { systemClock } from '../../src/system-clock.ts';

export interface BlobStoreFixture {
  blobs: BlobStore;
  /** Folder of the files that are being received. */
  stagingDir: string;
  /** Makes a stored blob this much older. */
  makeOlder(sha256: string, ms: number): Promise<void>;
}

const HOUR_MS = 3_600_000;
const NO_BLOB = '0'.repeat(64);
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Receives bytes, which a store takes away, of a copy. */
export async function receiveBytes(blobs: BlobStore, bytes: Buffer, maxBytes = 1e9): Promise<StagedBlob> {
  const received = await blobs.receive(Readable.from([Buffer.from(bytes)]), maxBytes);
  if (received === 'too_large') {
    throw new Error('too large');
  }
  return received;
}

export async function storeBytes(blobs: BlobStore, bytes: Buffer): Promise<BlobInfo> {
  const staged = await blobs.put(bytes);
  await staged.release();
  return findBlob(blobs, staged.sha256);
}

export async function findBlob(blobs: BlobStore, sha256: string): Promise<BlobInfo> {
  const found = await blobs.find(sha256);
  if (!found) {
    throw new Error(`there is no blob ${sha256}`);
  }
  return found;
}

/** The bytes of a blob that is there. */
export async function readBlob(
  blobs: BlobStore,
  blob: BlobInfo,
  range?: { start: number; end: number },
): Promise<Buffer> {
  const bytes = await blobs.read(blob, range);
  if (!bytes) {
    throw new Error(`the blob ${blob.sha256} was deleted`);
  }
  return buffer(bytes);
}

export async function listBlobs(blobs: BlobStore): Promise<BlobInfo[]> {
  const found: BlobInfo[] = [];
  for await (const blob of blobs.list()) {
    found.push(blob);
  }
  return found;
}

/** What a transaction does that finds no row with the blob. */
export const unused = async (approve: () => void) => approve();

/** What every store of blobs promises. */
export function testBlobStore(open: () => Promise<BlobStoreFixture>): void {
  let fixture: BlobStoreFixture;
  let blobs: BlobStore;
  beforeEach(async () => {
    fixture = await open();
    blobs = fixture.blobs;
  });
  const stagedFiles = () => readdir(fixture.stagingDir);

  test('bytes are stored under their hash and read back in full or in part', async () => {
    const bytes = randomBytes(100_000);
    const received = await receiveBytes(blobs, bytes);
    expect(received.sha256).toBe(sha256Of(bytes));
    expect(await blobs.find(received.sha256), 'not before it is saved').toBeNull();
    await received.save();
    await received.release();
    const found = await findBlob(blobs, received.sha256);
    expect(found).toMatchObject({ sha256: received.sha256, size: 100_000 });
    expect((await readBlob(blobs, found)).equals(bytes)).toBe(true);
    const middle = await readBlob(blobs, found, { start: 10, end: 19 });
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
    const received = await receiveBytes(blobs, Buffer.alloc(0));
    expect(received).toMatchObject({ sha256: sha256Of(Buffer.alloc(0)), size: 0 });
    await received.save();
    await received.release();
    expect(await blobs.find(received.sha256)).toMatchObject({ size: 0 });
  });

  test('exactly the limit is accepted, one byte more leaves no file', async () => {
    await (await receiveBytes(blobs, Buffer.alloc(1000), 1000)).release();
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
    const received = await receiveBytes(blobs, Buffer.from('x'));
    await received.release();
    expect(await stagedFiles()).toEqual([]);
    expect(await blobs.find(received.sha256)).toBeNull();
  });

  test('an unused blob is deleted, and one that is used again stays', async () => {
    const found = await storeBytes(blobs, Buffer.from('text'));
    await blobs.remove(found, async () => {});
    expect(await blobs.find(found.sha256), 'a row has it').not.toBeNull();
    await blobs.remove(found, unused);
    expect(await blobs.find(found.sha256)).toBeNull();
    await blobs.remove(found, unused);
  });

  test('a blob that nobody else can have is deleted without a look for rows, and a second time nothing happens', async () => {
    const [found, other] = [
      await storeBytes(blobs, Buffer.from('one')),
      await storeBytes(blobs, Buffer.from('another')),
    ];
    await blobs.delete(found);
    await blobs.delete(found);
    expect(await listBlobs(blobs)).toMatchObject([{ sha256: other.sha256 }]);
  });

  test('a blob that is deleted after it was found is not there, and one that is being read is read to its end', async () => {
    const bytes = randomBytes(600_000);
    const found = await storeBytes(blobs, bytes);
    const reader = await blobs.read(found);
    await blobs.delete(found);
    expect(reader && (await buffer(reader)).equals(bytes)).toBe(true);
    expect(await blobs.read(found, { start: 0, end: 9 })).toBeNull();
  });

  test('what was saved again after it was found is not deleted', async () => {
    const bytes = Buffer.from('same');
    const old = await storeBytes(blobs, bytes);
    await fixture.makeOlder(old.sha256, 2 * HOUR_MS);
    const found = await findBlob(blobs, old.sha256);
    // Another upload saves the same bytes and commits its row after the last look for one.
    await blobs.remove(found, async (approve) => {
      await storeBytes(blobs, bytes);
      approve();
    });
    const kept = await findBlob(blobs, old.sha256);
    expect((await readBlob(blobs, kept)).equals(bytes)).toBe(true);
  });

  test('what was touched after it was found is not deleted', async () => {
    const { sha256 } = await storeBytes(blobs, Buffer.from('touched'));
    await fixture.makeOlder(sha256, 2 * HOUR_MS);
    const found = await findBlob(blobs, sha256);
    await blobs.touch(sha256);
    await blobs.remove(found, unused);
    expect(await blobs.find(sha256)).not.toBeNull();
  });

  test('the age of a blob starts when it was last saved or touched', async () => {
    const bytes = Buffer.from('young');
    const { sha256 } = await storeBytes(blobs, bytes);
    const ageMs = async () => systemClock.nowMs() - (await findBlob(blobs, sha256)).modifiedMs;
    expect(await ageMs()).toBeLessThan(HOUR_MS);
    await fixture.makeOlder(sha256, 2 * HOUR_MS);
    expect(await ageMs()).toBeGreaterThan(HOUR_MS);
    await storeBytes(blobs, bytes);
    expect(await ageMs(), 'put again').toBeLessThan(HOUR_MS);
    await fixture.makeOlder(sha256, 2 * HOUR_MS);
    await blobs.touch(sha256);
    expect(await ageMs(), 'touched').toBeLessThan(HOUR_MS);
    await blobs.touch(NO_BLOB);
    expect(await blobs.find(NO_BLOB)).toBeNull();
  });

  test('all blobs are listed, and a name that is not a hash is not found', async () => {
    const stored: BlobInfo[] = [];
    for (const text of ['a', 'b', 'c']) {
      stored.push(await storeBytes(blobs, Buffer.from(text)));
    }
    const listed = new Map((await listBlobs(blobs)).map(({ sha256, size }) => [sha256, size]));
    expect(listed).toEqual(new Map(stored.map(({ sha256, size }) => [sha256, size])));
    expect(await blobs.find('../../etc/passwd')).toBeNull();
  });

  test('a blob is provided as a local file, a missing one is not', async () => {
    const { sha256 } = await storeBytes(blobs, Buffer.from('lent'));
    expect(await blobs.withFile(sha256, (path) => readFile(path, 'utf8'))).toBe('lent');
    expect(await blobs.withFile(NO_BLOB, async () => 'called')).toBeNull();
    expect(await stagedFiles()).toEqual([]);
  });
}
