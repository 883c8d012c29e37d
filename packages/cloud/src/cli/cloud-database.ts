import type { Db } from '../database/db.ts';
import { requireDatabase } from '../database/maintenance.ts';
import { openDatabase } from '../database/open-database.ts';
import { createPostgresStorage } from '../database/postgres/postgres-storage.ts';
import { describePostgres } from '../database/postgres-url.ts';
import { openDiskReserve } from '../disk/disk-reserve.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';

/** Where the database of a cloud is; `database` is the URL of one on PostgreSQL. */
export interface DatabaseLocation {
  data: string;
  database?: string | undefined;
}

/** Longer than the cloud waits: a busy one takes the lock again and again, and a leaked key must be revocable. */
const LOCK_WAIT_MS = 10_000;

type Work<T> = (trx: Db) => Promise<T>;

/**
 * Opens the database of a cloud for one transaction. `migrates`: whether to migrate it first, which only a command does that
 * runs while the cloud is stopped; otherwise the cloud may be running, and the database of another version is refused.
 */
export async function inCloudDatabase<T>(
  { data, database }: DatabaseLocation,
  { migrates }: { migrates: boolean },
  work: Work<T>,
): Promise<T> {
  const place = database === undefined ? data : describePostgres(database);
  try {
    return await (database === undefined
      ? inDataFolder(data, migrates, work)
      : inPostgres(database, migrates, work));
  } catch (error) {
    const failure = storageFailureOf(error);
    if (failure === 'full' || failure === 'database_full') {
      throw new StartupError(`The disk of ${place} is full. Free disk space, then try again.`, error);
    }
    if (failure === 'busy') {
      throw new StartupError(`The database in ${place} is locked by another program. Try again.`, error);
    }
    if (failure === 'database_unavailable') {
      throw new StartupError(
        `The database ${place} does not answer (${errorMessage(error)}). Try again.`,
        error,
      );
    }
    throw error;
  }
}

/** On a full disk it may use the disk reserve: a leaked key must be revocable at once. */
async function inDataFolder<T>(dataDir: string, migrates: boolean, work: Work<T>): Promise<T> {
  requireDatabase(dataDir);
  const reserve = openDiskReserve(dataDir);
  const releaseReserve = () => reserve.shrinkBy(Number.MAX_SAFE_INTEGER) > 0;
  const db = await openDatabase(dataDir, { migrates, freeSpace: releaseReserve, lockWaitMs: LOCK_WAIT_MS });
  const run = () => db.transaction().execute((trx) => work(trx));
  try {
    return await run().catch((error: unknown) => {
      if (storageFailureOf(error) === 'full' && releaseReserve()) {
        return run();
      }
      throw error;
    });
  } finally {
    await db.destroy();
  }
}

async function inPostgres<T>(url: string, migrates: boolean, work: Work<T>): Promise<T> {
  const { openPostgres } = await import('../database/open-postgres.ts');
  const db = await openPostgres(url, { migrates });
  try {
    return await createPostgresStorage(db).transaction(work, {});
  } finally {
    await db.destroy();
  }
}
