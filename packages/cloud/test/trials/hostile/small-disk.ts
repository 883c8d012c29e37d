import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../support/json.ts';

/** A folder for the data of a cloud: on a small disk of its own where this user may mount one. */
export interface SmallDisk {
  readonly dir: string;
  /** Why it is no disk of its own, so that it cannot be filled; null when it is one. */
  readonly notMounted: string | null;
  /** Takes every block that is left, also those that have become free since. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Bytes in use, without the filler. */
  usedBytes(): number;
  remove(): void;
}

export function createSmallDisk(mebibytes: number): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), 'placard-hostile-'));
  let notMounted: string | null = null;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', dir], { stdio: 'pipe' });
  } catch (error) {
    notMounted = `this user may not mount a tmpfs (${error instanceof Error ? error.message.trim().split('\n').at(-1) : ''})`;
  }
  const filler = join(dir, 'filler');
  const remove = () => {
    process.removeListener('exit', remove);
    if (notMounted === null) execFileSync('umount', ['--lazy', dir], { stdio: 'ignore' });
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', remove);
  let filled = 0;
  return {
    dir,
    notMounted,
    async fill() {
      const file = await open(filler, 'a');
      try {
        // At last by bytes: not one block is left.
        for (const step of [1_048_576, 4096, 1]) {
          const bytes = Buffer.alloc(step);
          for (let fitted = step; fitted === step;) {
            fitted = await written(file, bytes);
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

/** How many of the bytes fitted. */
async function written(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<number> {
  try {
    return (await file.write(bytes)).bytesWritten;
  } catch (error) {
    if (codeOf(error) === 'ENOSPC') return 0;
    throw error;
  }
}
