import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What one start of the player leaves for the next one: a program that died could not say anything. */
export interface StartRecord {
  /** Whether this start draws in software: the one before asked for it, or too many have died. */
  readonly safeMode: boolean;
  /** The player ends in order; the next start is to be like this. */
  end(next: 'normal' | 'safe'): void;
}

const content = z.object({
  /** Milliseconds since 1970 of starts that have not ended in order. */
  starts: z.array(z.number()),
  safe: z.boolean(),
});

const STARTS = 5;
const WITHIN_MS = 10 * 60_000;

/** Notes this start in `<data>/starts.json`. A disk that takes no writes changes nothing: every start is a normal one. */
export function recordStart(dataDir: string, nowMs: number): StartRecord {
  const path = join(dataDir, 'starts.json');
  const before = read(path);
  const starts = [...before.starts.filter((start) => Math.abs(nowMs - start) < WITHIN_MS), nowMs];
  const safeMode = before.safe || starts.length >= STARTS;
  write(path, { starts: starts.slice(-STARTS), safe: safeMode });
  return {
    safeMode,
    end(next) {
      if (next === 'safe') write(path, { starts: [], safe: true });
      else remove(path);
    },
  };
}

function read(path: string): z.infer<typeof content> {
  try {
    return content.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { starts: [], safe: false };
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Said above.
  }
}

function write(path: string, value: z.infer<typeof content>): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // Said above.
  }
}
