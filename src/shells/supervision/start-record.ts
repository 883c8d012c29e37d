import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What one start of the player leaves for the next: a process that was killed could not write anything. */
export interface StartRecord {
  /** Whether this start uses software rendering: the previous one requested it, or too many have crashed. */
  readonly safeMode: boolean;
  /** The player ends cleanly; sets the mode of the next start. */
  finish(nextMode: 'normal' | 'safe'): void;
}

const startFile = z.object({
  /** Milliseconds since 1970 of starts that have not ended cleanly. */
  starts: z.array(z.number()),
  safe: z.boolean(),
});

const STARTS_BEFORE_SAFE_MODE = 5;
const START_WINDOW_MS = 10 * 60_000;

/** Records this start in `<data>/starts.json`. On a disk that is not writable every start is a normal one. */
export function recordStart(dataDir: string, nowMs: number): StartRecord {
  const path = join(dataDir, 'starts.json');
  const previous = read(path);
  const starts = [...previous.starts.filter((start) => Math.abs(nowMs - start) < START_WINDOW_MS), nowMs];
  const safeMode = previous.safe || starts.length >= STARTS_BEFORE_SAFE_MODE;
  write(path, { starts: starts.slice(-STARTS_BEFORE_SAFE_MODE), safe: safeMode });
  return {
    safeMode,
    finish(nextMode) {
      if (nextMode === 'safe') {
        write(path, { starts: [], safe: true });
      } else {
        remove(path);
      }
    },
  };
}

function read(path: string): z.infer<typeof startFile> {
  try {
    return startFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { starts: [], safe: false };
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The disk is not writable.
  }
}

function write(path: string, value: z.infer<typeof startFile>): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // The disk is not writable.
  }
}
