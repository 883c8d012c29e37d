import pino from 'pino';
import { inject, onTestFinished } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createZoneTableCache } from '../../src/domain/zone-table.ts';
import type { Db } from '../../src/database/db.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createCloudDatabase } from '../../src/database/cloud-database.ts';
import type { CloudDatabase, CloudDatabaseDeps } from '../../src/database/cloud-database.ts';
import type { RootDb } from '../../src/database/open-database.ts';
import { createSqliteStorage } from '../../src/database/sqlite-storage.ts';
import type { Storage } from '../../src/database/storage.ts';
import { putEmptyDatabase } from './empty-database.ts';
import { createManualClock } from './manual-clock.ts';

type OnFinished = (close: () => void | Promise<void>) => void;

/** Opens an empty database of the engine that the project of the test names; it is gone after the test. */
export async function openTestDb(onFinished: OnFinished = onTestFinished): Promise<Db> {
  const server = inject('postgres');
  if (!server) {
    return openSqliteTestDb(onFinished);
  }
  // Only then: loading the client takes longer than most tests.
  const { openPostgresTestDb } = await import('./postgres-databases.ts');
  return openPostgresTestDb(server, onFinished);
}

/** Opens an empty SQLite database in a temporary folder; both are gone after the test. */
export async function openSqliteTestDb(onFinished: OnFinished = onTestFinished): Promise<RootDb> {
  const dir = tempDir(onFinished);
  await putEmptyDatabase(dir);
  const db = await openDatabase(dir);
  onFinished(() => db.destroy());
  return db;
}

/** Opens an empty database with the hot paths, of the engine that the project of the test names. */
export async function openTestStorage(onFinished: OnFinished = onTestFinished): Promise<Storage> {
  const server = inject('postgres');
  if (server) {
    const { openPostgresTestDb } = await import('./postgres-databases.ts');
    const { createPostgresStorage } = await import('../../src/database/postgres/postgres-storage.ts');
    return createPostgresStorage(await openPostgresTestDb(server, onFinished));
  }
  // There is always enough space.
  const disk = {
    requireSpace: () => {},
    markFull: () => {},
    releaseReserve: () => false,
    status: () => ({ freeBytes: Infinity, reserveBytes: 0 }),
  };
  return createSqliteStorage({ db: await openSqliteTestDb(onFinished), disk });
}

/** The same with the repositories of the cloud. Its clock stands still. */
export async function openTestDatabase(deps: Partial<CloudDatabaseDeps> = {}): Promise<CloudDatabase> {
  return createCloudDatabase({
    storage: deps.storage ?? (await openTestStorage()),
    clock: createManualClock(0),
    newId: (kind) => kind,
    hash: (text) => text,
    assetUrl: () => '',
    mediaHosts: () => [],
    zoneTables: createZoneTableCache('unknown'),
    publish: () => {},
    node: inject('postgres') ? { id: crypto.randomUUID(), log: pino({ enabled: false }) } : null,
    ...deps,
  });
}
