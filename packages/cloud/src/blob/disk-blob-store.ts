import { randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { blobPath, hashFile, openFile } from './blob-files.ts';
import type { BlobInfo, BlobStore, StagedBlob } from './blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import { errorCode } from '../domain/error-details.ts';
import { putBytes } from './put-bytes.ts';
import { flushAndClose, openStagingFolder } from './staging.ts';
import type { DiskSpaceCheck } from './staging.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** Stores blobs as `<dir>/ab/<sha256>`; `<dir>/parts` contains uploads in progress. */
export async function createDiskBlobStore(
  dir: string,
  clock: Pick<Clock, 'nowMs'>,
  diskSpace?: DiskSpaceCheck,
): Promise<BlobStore> {
  const staging = await openStagingFolder(join(dir, 'parts'), diskSpace);
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

  /** `takePath` provides a file that may be moved away, whose bytes are on the disk; `discard` deletes what is left. */
  const toStagedBlob = (
    { sha256, size, path }: Omit<StagedBlob, 'save' | 'release'>,
    { takePath, discard }: { takePath: () => Promise<string>; discard: () => Promise<void> },
  ): StagedBlob => {
    let isSaved = false;
    let isReleased = false;
    return {
      sha256,
      size,
      path,
      async save() {
        pin(sha256);
        isSaved = true;
        await moveIntoPlace(await takePath(), sha256);
      },
      async release() {
        if (isReleased) {
          return;
        }
        isReleased = true;
        if (isSaved) {
          unpin(sha256);
        }
        await discard();
      },
    };
  };

  const receive = async (stream: Readable, maxBytes: number): Promise<StagedBlob | 'too_large'> => {
    const staged = await staging.receive(stream, maxBytes);
    return staged === 'too_large'
      ? staged
      : toStagedBlob(staged, {
          takePath: async () => {
            await staged.flushed;
            return staged.path;
          },
          discard: () => staged.discard(),
        });
  };

  const stage: BlobStore['stage'] = (file) => {
    const second = join(staging.dir, randomUUID());
    return toStagedBlob(file, {
      takePath: async () => {
        // Takes no space. Where there are no links, it is copied.
        await link(file.path, second).catch(async () => {
          await copyFile(file.path, second);
          await flushAndClose(await open(second, 'r+'));
        });
        return second;
      },
      discard: () => rm(second, { force: true }),
    });
  };

  const find = async (sha256: string): Promise<BlobInfo | null> => {
    try {
      const found = await stat(pathOf(sha256));
      return { sha256, size: found.size, modifiedMs: found.mtimeMs, version: versionOf(found) };
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || error instanceof RangeError) {
        return null;
      }
      throw error;
    }
  };

  return {
    isLocal: true,
    receive,
    stage,
    find,
    touch,
    put: (bytes) => putBytes(receive, bytes),
    async read({ sha256 }, range) {
      const file = await openFile(pathOf(sha256));
      // The read-ahead buffer occupies memory for each slow client.
      return file && file.createReadStream({ ...range, highWaterMark: 65_536 });
    },
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
    delete: ({ sha256 }) => rm(pathOf(sha256), { force: true }),
    // Replaced files are gone at once, and staged ones are deleted at the start.
    sweep: async () => {},
    async remove({ sha256, version }, ifUnused) {
      await ifUnused(() => {
        // Synchronous, so that nothing can pin it in between.
        const path = pathOf(sha256);
        const current = statSync(path, { throwIfNoEntry: false });
        if (current && versionOf(current) === version && !pinCounts.has(sha256)) {
          rmSync(path, { force: true });
        }
      });
    },
  };
}

/** A rename survives a power cut only once its folder is flushed. */
const syncFolder = async (path: string): Promise<void> => flushAndClose(await open(path, 'r'));

const versionOf = ({ ino, mtimeMs }: Stats) => `${ino}-${mtimeMs}`;
