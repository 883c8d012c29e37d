import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { startFault } from '../domain/start-fault.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';

/** A command that just reads or writes the database has done so by then. */
const PATIENCE_MS = 3000;

export interface FolderLock {
  /**
   * Puts the file of the lock back when somebody deleted it. `renewed`: it was gone. `lost`: it was gone, and another
   * cloud holds a new one.
   */
  check(): 'held' | 'renewed' | 'lost';
  release: () => void;
}

/**
 * Keeps a second cloud out of a data folder: it would sweep away what is just being uploaded to the first.
 * The lock is one of the operating system, held through SQLite, so a crash leaves none behind. Where its file is not
 * there, it may have been deleted under a running cloud, which holds what no longer has a name: then whoever has the
 * database open decides.
 */
export function lockFolder(dataDir: string): FolderLock {
  const path = join(dataDir, 'cloud.lock');
  const isNew = !existsSync(path);
  let lock = take(path);
  if (lock && isNew && isOpenElsewhere(join(dataDir, 'cloud.sqlite'))) {
    rmSync(path, { force: true });
    lock.close();
    lock = null;
  }
  if (!lock)
    throw startFault(
      `Another cloud already uses the data folder ${dataDir}. Stop it, or choose another folder with --data.`,
    );
  let held = lock;
  return {
    check() {
      if (existsSync(path)) return 'held';
      const again = take(path);
      if (!again) return 'lost';
      held.close();
      held = again;
      return 'renewed';
    },
    release: () => void held.close(),
  };
}

/** Null when somebody else has it. */
function take(path: string): Sqlite.Database | null {
  // SQLite makes no file for a database that nothing is written to.
  writeFileSync(path, '', { flag: 'a' });
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    // In memory, because the lock alone is wanted: no byte of it needs room on the disk.
    lock.pragma('journal_mode = memory');
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (storageTroubleOf(error) !== 'busy') throw error;
    return null;
  }
}

/** Whether another process has the database open: it holds a shared lock on it for as long as that lasts. */
function isOpenElsewhere(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new Sqlite(file, { timeout: PATIENCE_MS });
  try {
    database.pragma('locking_mode = exclusive');
    database.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (error) {
    // What else is wrong with it is told by whoever opens it next.
    return storageTroubleOf(error) === 'busy';
  } finally {
    database.close();
  }
}
