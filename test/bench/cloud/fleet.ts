import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import { openDatabase } from '../../../packages/cloud/src/database/open-database.ts';
import { fillDatabase } from './fill-database.ts';
import type { FilledDatabase } from './fill-database.ts';
import { makeAdminKey, startCloud } from './servers.ts';
import type { BenchCloud } from './servers.ts';

export interface Fleet extends FilledDatabase {
  cloud: BenchCloud;
  adminKey: string;
  /** Of the cloud. */
  dataDir: string;
  stop(): Promise<void>;
}

/** A cloud with this many paired devices. `fillMore` writes more into its database before it starts; `env` is for the cloud. */
export async function startFleet(
  count: number,
  fillMore: (db: Db, devices: FilledDatabase['devices']) => Promise<void> = async () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<Fleet> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-bench-'));
  const options = { dataDir, adminKey: makeAdminKey(), env };
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const db = await openDatabase(dataDir);
    const filled = await fillDatabase(db, { adminKey: options.adminKey, count });
    await fillMore(db, filled.devices);
    await db.destroy();
    const cloud = await startCloud(options);
    const stop = async () => {
      await cloud.stop();
      removeData();
    };
    return { cloud, adminKey: options.adminKey, dataDir, ...filled, stop };
  } catch (error) {
    removeData();
    throw error;
  }
}
