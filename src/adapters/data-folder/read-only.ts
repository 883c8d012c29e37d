import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The index of the write-ahead log is not among them: SQLite makes it anew. */
const COPIED = ['player.sqlite', 'player.sqlite-wal', 'identity.json', 'screen-secret.json'] as const;

/** Where a player lives whose disk takes no writes. */
export interface Substitute {
  /** For the lock; the same for every player that comes for this data folder. */
  dir: string;
  /** Copies the database and what belongs to it, or finds the copy that an earlier process went on in. */
  enter(): string;
}

/**
 * A folder in memory, or at least on another disk, in the place of a data folder that is read-only. Null when no
 * such place takes writes. What is written there lasts until the box restarts, and often no longer.
 */
export function findSubstitute(dataDir: string): Substitute | null {
  const name = `placard-${process.getuid?.() ?? 'player'}-${digest(realpathSync(dataDir))}`;
  // The usual place is often on the same disk.
  for (const parent of [tmpdir(), '/dev/shm']) {
    const dir = join(parent, name);
    if (makeOwn(dir)) return { dir, enter: () => enter(dataDir, dir) };
  }
  return null;
}

/** Makes a folder that nobody else can look into, in a place where everybody can make folders. */
function makeOwn(dir: string): boolean {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // Somebody else may have been there before; a link would lead to wherever they like.
    const info = lstatSync(dir);
    const foreign = process.getuid && (info.uid !== process.getuid() || (info.mode & 0o077) !== 0);
    if (!info.isDirectory() || foreign) return false;
    writeFileSync(join(dir, '.writable'), '');
    return true;
  } catch {
    return false;
  }
}

function enter(dataDir: string, dir: string): string {
  // A disk that was mended and failed again has moved on, and a copy of before is of no use.
  const name = `of-${digest(COPIED.map((file) => stateOf(join(dataDir, file))).join())}`;
  for (const other of readdirSync(dir)) {
    if (other.startsWith('of-') && other !== name) rmSync(join(dir, other), { recursive: true, force: true });
  }
  const copy = join(dir, name);
  if (existsSync(copy)) return copy;
  const next = join(dir, 'next');
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { mode: 0o700 });
  for (const file of COPIED) {
    if (existsSync(join(dataDir, file))) copyFileSync(join(dataDir, file), join(next, file));
  }
  renameSync(next, copy);
  return copy;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function stateOf(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false });
  return info ? `${info.size}-${info.mtimeMs}` : 'none';
}
