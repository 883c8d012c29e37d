import { accessSync, constants, mkdirSync } from 'node:fs';
import { systemClock } from './system-clock.ts';
import { DEFAULT_MIN_FREE_BYTES } from './domain/disk-state.ts';
import { StartupError } from './domain/startup-error.ts';
import { storageFailureOf } from './domain/storage-failure.ts';
import { createLogger } from './logger.ts';
import { openDatabase } from './database/open-database.ts';
import { createSqliteStorage } from './database/sqlite-storage.ts';
import { createDiskMonitor } from './disk/disk-monitor.ts';
import { lockDataFolder } from './disk/data-folder-lock.ts';
import { errorCode } from './domain/error-details.ts';
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
    const db = await openDatabase(options.dataDir, disk.releaseReserveForOpening);
    shutdownSteps.push(() => db.destroy());
    disk.refresh();
    const storage = createSqliteStorage({ db, disk });
    return await startServices({ options, clock, log, lock, disk, storage, shutdownSteps, shutDown });
  } catch (error) {
    await shutDown();
    if (storageFailureOf(error) === 'full' && !(error instanceof StartupError)) {
      throw diskFullError(options.dataDir, error);
    }
    throw error;
  }
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
