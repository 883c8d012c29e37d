import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import Database from 'better-sqlite3';
import { findSubstitute } from './read-only.ts';

/** Kept aside for a start on a full disk: SQLite needs a few pages of its own just to open a database for reading. */
const RESERVE_BYTES = 1024 * 1024;

export interface DataFolder {
  database: string;
  identity: string;
  media: string;
  status: string;
  /** The folder that stands in for one on a read-only disk, for all but the media; null: the disk takes writes. */
  substitute: string | null;
  /** Lets another player have the folder. */
  release(): void;
}

/**
 * Takes the data folder for this player alone. Throws `Fault` `data.unwritable` or `data.locked`.
 * The lock is one of the operating system, held through SQLite: it ends with the process, however that ends.
 * On a read-only disk the media are used where they are, and all else in a copy that is gone with the next boot.
 */
export function takeDataFolder(dir: string): DataFolder {
  const media = join(dir, 'media');
  const reserve = join(dir, 'reserve');
  try {
    mkdirSync(media, { recursive: true });
    if (!existsSync(reserve)) writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES));
    const probe = join(dir, '.writable');
    const handle = openSync(probe, 'w');
    writeSync(handle, 'x');
    closeSync(handle);
    rmSync(probe);
  } catch (error) {
    // A full disk is no reason to refuse: what is held can be shown. The database opens in what is set free here.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOSPC' || code === 'EDQUOT') rmSync(reserve, { force: true });
    else {
      // Nor is a read-only one, as long as there is something on it.
      const held = code === 'EROFS' && existsSync(media) ? takeReadOnly(dir) : null;
      if (held) return held;
      throw new Fault('data.unwritable', 'never', { dir, reason: String(error) }, error);
    }
  }
  return { ...filesIn(dir), media, substitute: null, release: lockFolder(dir, dir) };
}

const filesIn = (dir: string) => ({
  database: join(dir, 'player.sqlite'),
  identity: join(dir, 'identity.json'),
  status: join(dir, 'status.json'),
});

function takeReadOnly(dir: string): DataFolder | null {
  const place = findSubstitute(dir);
  if (!place) return null;
  const release = lockFolder(place.dir, dir);
  const substitute = place.enter();
  return { ...filesIn(substitute), media: join(dir, 'media'), substitute, release };
}

/** Locks a folder for the player of `dir` and tells how to let go of it. */
function lockFolder(place: string, dir: string): () => void {
  // A player that is just ending gets a moment to let go.
  const lock = new Database(join(place, 'player.lock'), { timeout: 2_000 });
  try {
    // In memory, because the lock alone is wanted: no byte of it needs the disk.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Fault('data.locked', 'never', { dir }, error);
  }
  return () => void lock.close();
}
