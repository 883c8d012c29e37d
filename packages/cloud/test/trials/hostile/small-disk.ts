import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../support/json.ts';

/** A data folder for a cloud: on its own small disk where this user may mount one. */
export interface SmallDisk {
  readonly dir: string;
  /** Why no disk could be mounted, so that it cannot be filled; null when one was mounted. */
  readonly mountError: string | null;
  /** Fills all free blocks. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Bytes in use, without the filler. */
  usedBytes(): number;
  remove(): void;
}

export function createSmallDisk(mebibytes: number): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), 'placard-hostile-'));
  let mountError: string | null = null;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', dir], { stdio: 'pipe' });
  } catch (error) {
    mountError = `this user may not mount a tmpfs (${error instanceof Error ? error.message.trim().split('\n').at(-1) : ''})`;
  }
  const filler = join(dir, 'filler');
  const remove = () => {
    process.removeListener('exit', remove);
    if (mountError === null) {
      execFileSync('umount', ['--lazy', dir], { stdio: 'ignore' });
    }
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', remove);
  let filled = 0;
  return {
    dir,
    mountError,
    async fill() {
      const file = await open(filler, 'a');
      try {
        // Finally byte by byte, until no block is free.
        for (const step of [1_048_576, 4096, 1]) {
          const bytes = Buffer.alloc(step);
          for (let fitted = step; fitted === step;) {
            fitted = await writeSome(file, bytes);
            filled += fitted;
          }
        }
      } finally {
        await file.close();
      }
    },
    async free() {
      await rm(filler, { force: true });
      filled = 0;
    },
    usedBytes() {
      const { blocks, bfree, bsize } = statfsSync(dir);
      return (blocks - bfree) * bsize - filled;
    },
    remove,
  };
}

/** Returns how many bytes were written. */
async function writeSome(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<number> {
  try {
    return (await file.write(bytes)).bytesWritten;
  } catch (error) {
    if (errorCode(error) === 'ENOSPC') {
      return 0;
    }
    throw error;
  }
}
