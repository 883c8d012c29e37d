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

/** Without the index of the write-ahead log (`-shm`), which SQLite recreates. */
const COPIED_FILES = ['player.sqlite', 'player.sqlite-wal', 'identity.json', 'screen-secret.json'] as const;

/**
 * Finds a writable folder in memory, or at least on another disk, to replace a read-only data folder; null when
 * there is none. Its content lasts until the next boot at most. `dir` is for the lock: it is the same for every player
 * with this data folder.
 */
export function findSubstitute(dataDir: string): { dir: string; prepareCopy(): string } | null {
  const name = `placard-${process.getuid?.() ?? 'player'}-${digest(realpathSync(dataDir))}`;
  // The temporary folder is often on the same disk as the data folder.
  for (const parent of [tmpdir(), '/dev/shm']) {
    const dir = join(parent, name);
    if (createPrivateFolder(dir)) {
      return { dir, prepareCopy: () => prepareCopy(dataDir, dir) };
    }
  }
  return null;
}

/** Creates a folder that only its owner can read, inside a world-writable one. */
function createPrivateFolder(dir: string): boolean {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // The folder may have been created by another user; a link could lead anywhere.
    const info = lstatSync(dir);
    const foreign = process.getuid && (info.uid !== process.getuid() || (info.mode & 0o077) !== 0);
    if (!info.isDirectory() || foreign) {
      return false;
    }
    writeFileSync(join(dir, '.writable'), '');
    return true;
  } catch {
    return false;
  }
}

/** Copies the database and the files beside it, or finds the copy that an earlier process used. */
function prepareCopy(dataDir: string, dir: string): string {
  // A disk that was repaired and failed again has newer files; a copy from before is useless.
  const name = `of-${digest(COPIED_FILES.map((file) => fingerprintOf(join(dataDir, file))).join())}`;
  for (const other of readdirSync(dir)) {
    if (other.startsWith('of-') && other !== name) {
      rmSync(join(dir, other), { recursive: true, force: true });
    }
  }
  const copy = join(dir, name);
  if (existsSync(copy)) {
    return copy;
  }
  const next = join(dir, 'next');
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { mode: 0o700 });
  for (const file of COPIED_FILES) {
    if (existsSync(join(dataDir, file))) {
      copyFileSync(join(dataDir, file), join(next, file));
    }
  }
  renameSync(next, copy);
  return copy;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function fingerprintOf(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false });
  return info ? `${info.size}-${info.mtimeMs}` : 'none';
}
