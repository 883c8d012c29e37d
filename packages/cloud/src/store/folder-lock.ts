import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { startFault } from '../domain/start-fault.ts';

/**
 * Keeps a second cloud out of a data folder: it would sweep away what is just being uploaded to the first.
 * The lock is one of the operating system, so a crash leaves none behind. The answer gives it back.
 */
export function lockFolder(dataDir: string): () => void {
  const lock = new Sqlite(join(dataDir, 'cloud.lock'), { timeout: 0 });
  try {
    // In memory, because the lock alone is wanted: no byte of it needs room on the disk.
    lock.pragma('journal_mode = memory');
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    throw startFault(
      `Another cloud already uses the data folder ${dataDir}. Stop it, or choose another folder with --data.`,
      cause,
    );
  }
  return () => lock.close();
}
