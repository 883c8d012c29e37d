import { onTestFinished } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createZoneTableCache } from '../../src/domain/zone-table.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createCloudDatabase } from '../../src/database/cloud-database.ts';
import type { CloudDatabase, CloudDatabaseDeps } from '../../src/database/cloud-database.ts';
import type { RootDb } from '../../src/database/open-database.ts';
import { createManualClock } from './manual-clock.ts';

/** Opens an empty database in a temporary folder; both are gone after the test. */
export async function openTestDb(
  onFinished: (close: () => void | Promise<void>) => void = onTestFinished,
): Promise<RootDb> {
  const db = await openDatabase(tempDir(onFinished));
  onFinished(() => db.destroy());
  return db;
}

/** The same with the repositories of the cloud. Its clock stands still. */
export async function openTestDatabase(deps: Partial<CloudDatabaseDeps> = {}): Promise<CloudDatabase> {
  return createCloudDatabase({
    db: deps.db ?? (await openTestDb()),
    clock: createManualClock(0),
    newId: (kind) => kind,
    hash: (text) => text,
    assetUrl: () => '',
    mediaHosts: () => [],
    zoneTables: createZoneTableCache('unknown'),
    publish: () => {},
    disk: { requireSpace: () => {}, markFull: () => {}, releaseReserve: () => false },
    ...deps,
  });
}
