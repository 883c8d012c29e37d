import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobInfo, BlobStore, Received } from './blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import { codeOf } from '../domain/error-facts.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** How much may come before the room on the disk is looked at again. */
const LOOK_EVERY_BYTES = 8 * 1_048_576;

export interface Room {
  /** Throws when so many bytes more are not to be written. */
  requireRoomFor(bytes: number): void;
}

/** Blobs as files: `<dir>/ab/<sha256>`, and `<dir>/parts` for what is still arriving. */
export async function createDiskBlobStore(
  dir: string,
  clock: Pick<Clock, 'nowMs'>,
  room: Room = { requireRoomFor: () => {} },
): Promise<BlobStore> {
  const parts = join(dir, 'parts');
  await mkdir(parts, { recursive: true, mode: 0o700 });
  // Whatever lies there belongs to an upload that a crash ended. The folder stays: a full disk might not take a new one.
  for (const name of await readdir(parts)) await rm(join(parts, name), { recursive: true, force: true });
  // For this user alone; unless it is another one's, who lets us write to it.
  await chmod(dir, 0o700).catch((error: unknown) => {
    if (codeOf(error) !== 'EPERM') throw error;
  });
  const pathOf = (sha256: string) => {
    if (!SHA256.test(sha256)) throw new RangeError('not a SHA-256');
    return join(dir, sha256.slice(0, 2), sha256);
  };

  // Kept, but their rows are not written yet: how often, by hash.
  const held = new Map<string, number>();
  const hold = (sha256: string) => held.set(sha256, (held.get(sha256) ?? 0) + 1);
  const letGo = (sha256: string) => {
    const count = (held.get(sha256) ?? 0) - 1;
    if (count > 0) held.set(sha256, count);
    else held.delete(sha256);
  };

  const touch = async (sha256: string): Promise<void> => {
    const now = new Date(clock.nowMs());
    await utimes(pathOf(sha256), now, now).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  };

  const keep = async (part: string, sha256: string): Promise<void> => {
    const path = pathOf(sha256);
    await mkdir(dirname(path), { recursive: true });
    try {
      // Also over a file that is there: that one may be damaged, these bytes were just hashed.
      await rename(part, path);
    } catch (error) {
      // Windows replaces no file that somebody reads. Then it has to be whole itself.
      if (process.platform !== 'win32' || (await hashOf(path).catch(() => null)) !== sha256) throw error;
      await rm(part, { force: true });
      return touch(sha256);
    }
    await touch(sha256);
    await syncFolder(dirname(path));
    await syncFolder(dir);
  };

  const receive = async (stream: Readable, maxBytes: number): Promise<Received | 'too_large'> => {
    const path = join(parts, randomUUID());
    const hash = createHash('sha256');
    let size = 0;
    let tooLarge = false;
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const looked = Math.floor(size / LOOK_EVERY_BYTES);
        size += chunk.length;
        if (size > maxBytes) {
          tooLarge = true;
          done(new Error('too large'));
          return;
        }
        if (Math.floor(size / LOOK_EVERY_BYTES) > looked)
          try {
            room.requireRoomFor(0);
          } catch (error) {
            done(error instanceof Error ? error : new Error('no room', { cause: error }));
            return;
          }
        hash.update(chunk);
        done(null, chunk);
      },
    });
    try {
      await pipeline(stream, measure, createWriteStream(path, { flags: 'wx', flush: true }));
    } catch (error) {
      await rm(path, { force: true });
      if (tooLarge) return 'too_large';
      throw error;
    }
    const sha256 = hash.digest('hex');
    let kept = false;
    let released = false;
    return {
      sha256,
      size,
      path,
      async keep() {
        hold(sha256);
        kept = true;
        await keep(path, sha256);
      },
      async release() {
        if (released) return;
        released = true;
        if (kept) letGo(sha256);
        await rm(path, { force: true });
      },
    };
  };

  const find = async (sha256: string): Promise<BlobInfo | null> => {
    try {
      const found = await stat(pathOf(sha256));
      return { sha256, size: found.size, modifiedMs: found.mtimeMs };
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || error instanceof RangeError) return null;
      throw error;
    }
  };

  return {
    receive,
    find,
    touch,
    async put(bytes) {
      const received = await receive(Readable.from([bytes]), Number.MAX_SAFE_INTEGER);
      if (received === 'too_large') throw new RangeError('a blob has no upper limit here');
      await received.keep();
      return received;
    },
    // What is read ahead waits in memory for each client that takes its time.
    read: (sha256, range) => createReadStream(pathOf(sha256), { ...range, highWaterMark: 65_536 }),
    async withFile(sha256, use) {
      return (await find(sha256)) ? use(pathOf(sha256)) : null;
    },
    async *list() {
      for (const folder of await readdir(dir)) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue;
        for (const name of await readdir(join(dir, folder))) {
          const info = await find(name);
          if (info) yield info;
        }
      }
    },
    removeUnlessHeld(sha256) {
      if (!held.has(sha256)) rmSync(pathOf(sha256), { force: true });
    },
  };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(bytes);
  return hash.digest('hex');
}

/** A rename is only safe from a power cut once its folder is written. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
