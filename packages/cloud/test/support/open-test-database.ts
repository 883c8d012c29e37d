import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createZoneTableCache } from '../../src/domain/zone-table.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { createCloudDatabase } from '../../src/database/cloud-database.ts';
import type { CloudDatabase } from '../../src/database/cloud-database.ts';

/** Opens a temporary database that is deleted after the test. Its clock is fixed. */
export async function openTestDatabase(nowMs = 0): Promise<CloudDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-store-'));
  const database = createCloudDatabase({
    db: await openDatabase(folder),
    clock: { nowMs: () => nowMs, setTimer: () => () => {} },
    newId: (kind) => kind,
    hash: (text) => text,
    assetUrl: () => '',
    mediaHosts: () => [],
    zoneTables: createZoneTableCache('unknown'),
    publish: () => {},
    disk: { requireSpace: () => {}, markFull: () => {}, releaseReserve: () => false },
  });
  onTestFinished(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  return database;
}
