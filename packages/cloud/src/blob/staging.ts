import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callbackify } from 'node:util';

/** Free disk space is checked each time this many bytes were received. */
const SPACE_CHECK_EVERY_BYTES = 8 * 1_048_576;

/** Bytes that may wait while others are written; then they are written together. */
const WRITE_BYTES = 1_048_576;

export interface DiskSpaceCheck {
  /** Throws if this many more bytes must not be written. */
  requireSpaceFor(bytes: number): void;
}

/** A received file with its hash. */
export interface StagedFile {
  sha256: string;
  /** Bytes. */
  size: number;
  path: string;
  /** Resolves when the bytes are on the disk, whatever happens to the power. */
  flushed: Promise<void>;
  /** Deletes the file if it is still there. */
  discard(): Promise<void>;
}

/** The folder of files that are being received; those of a process that ended are deleted. */
export async function openStagingFolder(
  stagingDir: string,
  diskSpace: DiskSpaceCheck = { requireSpaceFor: () => {} },
) {
  await mkdir(stagingDir, { recursive: true, mode: 0o700 });
  // Leftovers belong to uploads interrupted by a crash. The folder is kept: a full disk might not allow a new one.
  for (const name of await readdir(stagingDir)) {
    await rm(join(stagingDir, name), { recursive: true, force: true });
  }

  /**
   * Writes and hashes a stream of at most `maxBytes`; returns `'too_large'` if it is longer. Leaves no file behind on
   * failure. The chunks are given away: they lose their memory once they are written.
   */
  const receive = async (stream: Readable, maxBytes: number): Promise<StagedFile | 'too_large'> => {
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
    return {
      sha256: hash.digest('hex'),
      size,
      path,
      flushed,
      async discard() {
        await flushed.catch(() => {});
        await rm(path, { force: true });
      },
    };
  };
  return { dir: stagingDir, receive };
}

export type StagingFolder = Awaited<ReturnType<typeof openStagingFolder>>;

const sumOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

export async function flushAndClose(file: FileHandle): Promise<void> {
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
export function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    buffer.transfer(0);
  }
}
