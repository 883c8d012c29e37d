import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import Database from 'better-sqlite3';
import { errorCode } from '../../core/error-details.ts';
import { findSubstitute } from './substitute-folder.ts';

/** Deleted for a start on a full disk: SQLite needs a few free pages just to open a database for reading. */
const RESERVE_BYTES = 1024 * 1024;

export interface DataFolder {
  databaseFile: string;
  identityFile: string;
  mediaDir: string;
  statusFile: string;
  /** Replaces the data folder, except for its media, on a read-only disk; null when the disk is writable. */
  substituteDir: string | null;
  /** Releases the lock, so that another player can take the folder. */
  release(): void;
}

/**
 * Takes the data folder for this player alone. Throws `Fault` `data.unwritable` or `data.locked`. The lock is a
 * lock of the operating system, held through SQLite: it ends with the process, also after a crash. On a read-only
 * disk the media are used in place, and everything else in a copy that is lost at the next boot.
 */
export function acquireDataFolder(dir: string): DataFolder {
  const mediaDir = join(dir, 'media');
  const reserve = join(dir, 'reserve');
  try {
    mkdirSync(mediaDir, { recursive: true });
    if (!existsSync(reserve)) {
      writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES));
    }
    const probe = join(dir, '.writable');
    writeFileSync(probe, 'x');
    rmSync(probe);
  } catch (error) {
    // A full disk is no reason to fail: cached media can be shown. The database opens in the space freed here.
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      rmSync(reserve, { force: true });
    } else {
      // Neither is a read-only disk, if it has a media folder.
      const substituteFolder = code === 'EROFS' && existsSync(mediaDir) ? acquireSubstitute(dir) : null;
      if (substituteFolder) {
        return substituteFolder;
      }
      throw new Fault('data.unwritable', 'never', { dir, reason: String(error) }, error);
    }
  }
  return { ...filePathsIn(dir), mediaDir, substituteDir: null, release: lockFolder(dir, dir) };
}

const filePathsIn = (dir: string) => ({
  databaseFile: join(dir, 'player.sqlite'),
  identityFile: join(dir, 'identity.json'),
  statusFile: join(dir, 'status.json'),
});

function acquireSubstitute(dir: string): DataFolder | null {
  const substitute = findSubstitute(dir);
  if (!substitute) {
    return null;
  }
  const release = lockFolder(substitute.dir, dir);
  const substituteDir = substitute.prepareCopy();
  return { ...filePathsIn(substituteDir), mediaDir: join(dir, 'media'), substituteDir, release };
}

/** Keeps the locks out of the reach of garbage collection, which would close them. */
const heldLocks = new Set<Database.Database>();

/** Locks a folder for the player of `dir` and returns the function that releases it. */
function lockFolder(lockDir: string, dir: string): () => void {
  // The timeout lets a player that is just ending release the lock.
  const lock = new Database(join(lockDir, 'player.lock'), { timeout: 2_000 });
  try {
    // Journal in memory: only the lock is needed, and it must not write to the disk.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Fault('data.locked', 'never', { dir }, error);
  }
  heldLocks.add(lock);
  return () => {
    heldLocks.delete(lock);
    lock.close();
  };
}
