import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from './system-clock.ts';
import { DEFAULT_MIN_FREE_BYTES } from './domain/disk-state.ts';
import { StartupError } from './domain/startup-error.ts';
import { storageFailureOf } from './domain/storage-failure.ts';
import { createLogger } from './logger.ts';
import { DATABASE_FILE } from './database/maintenance.ts';
import { openDatabase } from './database/open-database.ts';
import { organizationRepository } from './database/organization.ts';
import { createPostgresStorage } from './database/postgres/postgres-storage.ts';
import { describePostgres } from './database/postgres-url.ts';
import { createSqliteStorage } from './database/sqlite-storage.ts';
import type { Storage } from './database/storage.ts';
import { createDiskMonitor } from './disk/disk-monitor.ts';
import type { DiskMonitor } from './disk/disk-monitor.ts';
import { lockDataFolder } from './disk/data-folder-lock.ts';
import { errorCode, errorMessage } from './domain/error-details.ts';
import { startServices } from './start-services.ts';
import type { Cloud, CloudOptions } from './config/cloud-options.ts';

export type { Cloud, CloudOptions } from './config/cloud-options.ts';
export type { Clock } from './domain/clock.ts';
export { StartupError } from './domain/startup-error.ts';

/** Starts the cloud. Problems that the operator must fix are thrown as `StartupError`. */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const clock = options.clock ?? systemClock;
  const log = createLogger(options.logLevel ?? 'warn');
  requireWritable(options.dataDir);
  const disk = createDiskMonitor({
    dataDir: options.dataDir,
    holdsDatabase: options.database === undefined,
    minFreeBytes: options.minFreeBytes ?? DEFAULT_MIN_FREE_BYTES,
    reserveBytes: options.reserveBytes,
    log,
  });
  const lock = lockDataFolder(options.dataDir);
  const shutdownSteps: (() => Promise<void>)[] = [async () => lock.release()];
  const shutDown = async () => {
    for (const stop of shutdownSteps.splice(0).toReversed()) {
      await stop();
    }
  };
  try {
    const storage = await openStorage(options, { disk, log });
    shutdownSteps.push(() => storage.db.destroy());
    disk.refresh();
    return await startServices({ options, clock, log, lock, disk, storage, shutdownSteps, shutDown });
  } catch (error) {
    await shutDown();
    if (storageFailureOf(error) === 'full' && !(error instanceof StartupError)) {
      throw diskFullError(options.dataDir, error);
    }
    if (storageFailureOf(error) === 'database_unavailable' && options.database !== undefined) {
      throw new StartupError(
        `The database ${describePostgres(options.database)} does not answer (${errorMessage(error)}). Check PostgreSQL, ` +
          'and start again.',
        error,
      );
    }
    throw error;
  }
}

async function openStorage(
  { dataDir, database, checkpointPages }: CloudOptions,
  { disk, log }: { disk: DiskMonitor; log: Logger },
): Promise<Storage> {
  if (database === undefined) {
    return createSqliteStorage({
      db: await openDatabase(dataDir, {
        isCloud: true,
        freeSpace: disk.releaseReserveForOpening,
        checkpointPages,
        log,
      }),
      disk,
    });
  }
  // Only then: the client takes a while to load.
  const { openPostgres } = await import('./database/open-postgres.ts');
  const db = await openPostgres(database, { log });
  if (existsSync(join(dataDir, DATABASE_FILE)) && !(await organizationRepository(db).find())) {
    await db.destroy();
    throw new StartupError(
      `The data folder ${dataDir} has a database, and ${describePostgres(database)} is empty: the media files of the first ` +
        'would be deleted. Run the command move, which copies it, or choose another folder with --data.',
    );
  }
  return createPostgresStorage(db);
}

const diskFullError = (dataDir: string, cause: unknown) =>
  new StartupError(
    `The disk of the data folder ${dataDir} is full, so the cloud cannot start. ` +
      'Free about 20 MB on it and start again, or choose another folder with --data.',
    cause,
  );

function requireWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    throw new StartupError(
      `The data folder ${dataDir} cannot be written (${errorCode(cause)}). ` +
        'Give this user write access to it, or choose another with --data.',
      cause,
    );
  }
}
