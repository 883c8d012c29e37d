import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callbackify } from 'node:util';
import { blobPath, hashFile } from './blob-files.ts';
import type { BlobInfo, BlobStore, StagedBlob } from './blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import { errorCode } from '../domain/error-details.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** Free disk space is checked each time this many bytes were received. */
const SPACE_CHECK_EVERY_BYTES = 8 * 1_048_576;

/** Bytes that may wait while others are written; then they are written together. */
const WRITE_BYTES = 1_048_576;

export interface DiskSpaceCheck {
  /** Throws if this many more bytes must not be written. */
  requireSpaceFor(bytes: number): void;
}

/** Stores blobs as `<dir>/ab/<sha256>`; `<dir>/parts` contains uploads in progress. */
export async function createDiskBlobStore(
  dir: string,
  clock: Pick<Clock, 'nowMs'>,
  diskSpace: DiskSpaceCheck = { requireSpaceFor: () => {} },
): Promise<BlobStore> {
  const stagingDir = join(dir, 'parts');
  await mkdir(stagingDir, { recursive: true, mode: 0o700 });
  // Leftovers belong to uploads interrupted by a crash. The folder is kept: a full disk might not allow a new one.
  for (const name of await readdir(stagingDir)) {
    await rm(join(stagingDir, name), { recursive: true, force: true });
  }
  // For this user only, unless the folder belongs to another user who gave us write access.
  await chmod(dir, 0o700).catch((error: unknown) => {
    if (errorCode(error) !== 'EPERM') {
      throw error;
    }
  });
  const pathOf = (sha256: string) => {
    if (!SHA256.test(sha256)) {
      throw new RangeError('not a SHA-256');
    }
    return blobPath(dir, sha256);
  };

  // Number of saved blobs whose rows are not written yet, by hash.
  const pinCounts = new Map<string, number>();
  const pin = (sha256: string) => pinCounts.set(sha256, (pinCounts.get(sha256) ?? 0) + 1);
  const unpin = (sha256: string) => {
    const count = (pinCounts.get(sha256) ?? 0) - 1;
    if (count > 0) {
      pinCounts.set(sha256, count);
    } else {
      pinCounts.delete(sha256);
    }
  };

  const touch = async (sha256: string): Promise<void> => {
    const now = new Date(clock.nowMs());
    await utimes(pathOf(sha256), now, now).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') {
        throw error;
      }
    });
  };

  const moveIntoPlace = async (stagedPath: string, sha256: string): Promise<void> => {
    const path = pathOf(sha256);
    await mkdir(dirname(path), { recursive: true });
    try {
      // Replaces an existing file as well: that one may be damaged, these bytes were just hashed.
      await rename(stagedPath, path);
    } catch (error) {
      // Windows cannot replace a file that is open. Then the existing file must be intact.
      if (process.platform !== 'win32' || (await hashFile(path).catch(() => null)) !== sha256) {
        throw error;
      }
      await rm(stagedPath, { force: true });
      return touch(sha256);
    }
    await touch(sha256);
    await syncFolder(dirname(path));
    await syncFolder(dir);
  };

  const receive = async (stream: Readable, maxBytes: number): Promise<StagedBlob | 'too_large'> => {
    const path = join(stagingDir, randomUUID());
    const opening = open(path, 'wx');
    const hash = createHash('sha256');
    let size = 0;
    let tooLarge = false;
    const store = async (chunks: readonly Buffer[]): Promise<void> => {
      const checkedSteps = Math.floor(size / SPACE_CHECK_EVERY_BYTES);
      size += sumOf(chunks);
      if (size > maxBytes) {
        tooLarge = true;
        throw new Error('too large');
      }
      if (Math.floor(size / SPACE_CHECK_EVERY_BYTES) > checkedSteps) {
        diskSpace.requireSpaceFor(0);
      }
      const written = writeAll(await opening, chunks);
      // A failure is reported below; hashing takes as long as writing and needs no await.
      written.catch(() => {});
      for (const chunk of chunks) {
        hash.update(chunk);
      }
      await written;
      chunks.forEach(freeMemory);
    };
    const sink = new Writable({
      highWaterMark: WRITE_BYTES,
      construct: callbackify(async () => {
        await opening;
      }),
      write: callbackify((chunk: Buffer, _encoding: string) => store([chunk])),
      writev: callbackify((items: { chunk: Buffer }[]) => store(items.map(({ chunk }) => chunk))),
    });
    try {
      await pipeline(stream, sink);
    } catch (error) {
      await opening.then(
        (file) => file.close(),
        () => {},
      );
      await rm(path, { force: true });
      if (tooLarge) {
        return 'too_large';
      }
      throw error;
    }
    const file = await opening;
    // Runs while the file is inspected. Nothing is saved before it has succeeded.
    const flushed = flushAndClose(file);
    flushed.catch(() => {});
    const sha256 = hash.digest('hex');
    let isSaved = false;
    let isReleased = false;
    return {
      sha256,
      size,
      path,
      async save() {
        pin(sha256);
        isSaved = true;
        await flushed;
        await moveIntoPlace(path, sha256);
      },
      async release() {
        if (isReleased) {
          return;
        }
        isReleased = true;
        if (isSaved) {
          unpin(sha256);
        }
        await flushed.catch(() => {});
        await rm(path, { force: true });
      },
    };
  };

  const find = async (sha256: string): Promise<BlobInfo | null> => {
    try {
      const found = await stat(pathOf(sha256));
      return { sha256, size: found.size, modifiedMs: found.mtimeMs };
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || error instanceof RangeError) {
        return null;
      }
      throw error;
    }
  };

  return {
    receive,
    find,
    touch,
    async put(bytes) {
      const received = await receive(Readable.from([Buffer.from(bytes)]), Number.MAX_SAFE_INTEGER);
      if (received === 'too_large') {
        throw new RangeError('a blob has no upper limit here');
      }
      await received.save();
      return received;
    },
    // The read-ahead buffer occupies memory for each slow client.
    read: (sha256, range) => createReadStream(pathOf(sha256), { ...range, highWaterMark: 65_536 }),
    async withFile(sha256, use) {
      return (await find(sha256)) ? use(pathOf(sha256)) : null;
    },
    async *list() {
      for (const folder of await readdir(dir)) {
        if (!/^[0-9a-f]{2}$/.test(folder)) {
          continue;
        }
        for (const name of await readdir(join(dir, folder))) {
          const info = await find(name);
          if (info) {
            yield info;
          }
        }
      }
    },
    removeUnlessPinned(sha256) {
      if (!pinCounts.has(sha256)) {
        rmSync(pathOf(sha256), { force: true });
      }
    },
  };
}

const sumOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

async function flushAndClose(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < sumOf(chunks)) {
    // Continues where the first write ended, or fails with the reason for which it ended.
    await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
  }
}

/**
 * Returns the memory of a chunk now: the garbage collector returns 30 to 70 MB at once, after stopping everything for 10 to
 * 30 ms. A chunk that shares its memory with other data is left to it.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    buffer.transfer(0);
  }
}

/** A rename survives a power cut only once its folder is flushed. */
const syncFolder = async (path: string): Promise<void> => flushAndClose(await open(path, 'r'));
