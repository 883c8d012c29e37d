import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';

/** Longer than a command-line command needs the database. */
const BUSY_TIMEOUT_MS = 3000;

export interface DataFolderLock {
  /**
   * Recreates the lock file if it was deleted. `renewed`: it was recreated. `lost`: another cloud has created and
   * locked a new one.
   */
  check(): 'held' | 'renewed' | 'lost';
  release: () => void;
}

/**
 * Prevents a second cloud from using the data folder: it would delete the staged uploads of the first. It is an
 * operating system lock, held through SQLite, so a crash leaves none behind. If the lock file is missing, it may have
 * been deleted while a cloud is running, whose lock then has no name; in that case an open database counts as the
 * lock.
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  const path = join(dataDir, 'cloud.lock');
  const isNew = !existsSync(path);
  let lock = tryLock(path);
  if (lock && isNew && isOpenElsewhere(join(dataDir, 'cloud.sqlite'))) {
    rmSync(path, { force: true });
    lock.close();
    lock = null;
  }
  if (!lock) {
    throw new StartupError(
      `Another cloud already uses the data folder ${dataDir}. Stop it, or choose another folder with --data.`,
    );
  }
  let current = lock;
  return {
    check() {
      if (existsSync(path)) {
        return 'held';
      }
      const renewed = tryLock(path);
      if (!renewed) {
        return 'lost';
      }
      current.close();
      current = renewed;
      return 'renewed';
    },
    release: () => void current.close(),
  };
}

/** Null if another process holds the lock. */
function tryLock(path: string): Sqlite.Database | null {
  // SQLite does not create a file until something is written.
  writeFileSync(path, '', { flag: 'a' });
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    // The journal is kept in memory, because only the lock is needed: no disk space is used.
    lock.pragma('journal_mode = memory');
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (storageFailureOf(error) !== 'busy') {
      throw error;
    }
    return null;
  }
}

/** Whether another process has the database open; it then holds a shared lock. */
function isOpenElsewhere(file: string): boolean {
  if (!existsSync(file)) {
    return false;
  }
  const database = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma('locking_mode = exclusive');
    database.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (error) {
    // Other errors are reported when the database is opened.
    return storageFailureOf(error) === 'busy';
  } finally {
    database.close();
  }
}
