import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import type { Cloud, CloudOptions } from '@placard/cloud';
import { inject, vi } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import type { Db } from '../../src/database/db.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { retryConflicts } from '../../src/database/postgres/retry-conflicts.ts';
import { createApiClient } from './client.ts';
import type { ApiClient } from './client.ts';
import { putEmptyDatabase } from './empty-database.ts';
import { createManualClock } from './manual-clock.ts';
import type { ManualClock } from './manual-clock.ts';

export const ADMIN_KEY = 'admin-key-of-the-tests-0001';

/** How many nodes each cloud has (`PLACARD_TEST_NODES`); several need PostgreSQL. */
const NODES = Number(process.env['PLACARD_TEST_NODES'] ?? 1);

export interface TestCloud {
  cloud: Cloud;
  clock: ManualClock;
  /** That of the first node. */
  dataDir: string;
  /** Paths of the files that are being received, by any node. */
  staged(): Promise<string[]>;
  /** URL of its database, if that is on PostgreSQL. */
  database: string | undefined;
  /** The flags of a command on this cloud. */
  flags: string[];
  /** Opens its database a second time, as another process does. */
  openDb(): Promise<Db>;
  /**
   * Runs queries in its database in the same way; on PostgreSQL up to three times from the beginning, as the cloud does, if
   * a deadlock with one of its transactions ends them.
   */
  inDatabase<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /** Client with the Admin key. Each call advances the test clock by 2.5 s, to stay below rate limits. */
  admin: ApiClient;
  /** Client with another secret, or none. */
  clientFor(secret: string | null): ApiClient;
  /** Creates a key of this scope through the API. */
  createKey(scope: 'Read' | 'Write' | 'Admin'): Promise<string>;
  /** Stops the cloud and starts it on the same data after `downMs`, with changed options. */
  restart(downMs?: number, changed?: Partial<CloudOptions>): Promise<void>;
  close(): Promise<void>;
}

type Closer = () => Promise<void>;

/** A new database on PostgreSQL, if the tests run with one (`PLACARD_TEST_DATABASE`). */
async function createDatabase(onFinished: (drop: Closer) => void): Promise<string | undefined> {
  const server = inject('postgres');
  // Only then: loading the client takes longer than many tests.
  return server && (await import('./postgres-databases.ts')).createCopy(server, onFinished);
}

/** A place in the bucket of all tests, if the tests run with one. */
function newPlaceInBucket(): CloudOptions['s3'] {
  const server = inject('s3');
  for (const [name, value] of Object.entries(server?.credentials ?? {})) {
    vi.stubEnv(name, value);
  }
  return server && { ...server.settings, prefix: crypto.randomUUID() };
}

/** The data folder of a node; the others have theirs in that of the first. */
const nodeFolder = (dataDir: string, index: number) =>
  index === 0 ? dataDir : join(dataDir, `node-${index + 1}`);

async function startNodes(options: CloudOptions): Promise<Cloud> {
  if (NODES === 1) {
    return startCloud(options);
  }
  const folders = Array.from({ length: NODES }, (_, index) => nodeFolder(options.dataDir, index));
  return (await import('./test-nodes.ts')).startNodes(folders, options);
}

async function openDb(dataDir: string, database: string | undefined): Promise<Db> {
  return database === undefined
    ? openDatabase(dataDir)
    : (await import('../../src/database/open-postgres.ts')).openPostgres(database);
}

/** Starts a real cloud in a temporary folder. */
export async function startTestCloud(options: Partial<CloudOptions> = {}): Promise<TestCloud> {
  const clock = createManualClock();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'placard-cloud-')));
  const onClose: Closer[] = [];
  const database = await createDatabase((drop) => onClose.push(drop));
  if (database === undefined && options.dataDir === undefined) {
    await putEmptyDatabase(dataDir);
  }
  const s3 = newPlaceInBucket();
  const start = (port: number, changed: Partial<CloudOptions> = {}) =>
    startNodes({
      host: '127.0.0.1',
      dataDir,
      database,
      s3,
      adminKey: ADMIN_KEY,
      logLevel: 'error',
      // Most tests must not depend on free disk space.
      minFreeBytes: 0,
      reserveBytes: 0,
      passwordCostLog2: 8,
      // On a busy machine the process that inspects files, of low priority, takes many times as long.
      inspectionLimits: { deadlineMs: 60_000 },
      clock,
      ...options,
      ...changed,
      port,
    });
  // It is kept over restarts.
  let cloud = await start(await freePort());
  const clientFor = (secret: string | null) =>
    createApiClient({ url: () => cloud.url, secret, beforeRequest: () => clock.advance(2500) });
  const admin = clientFor(ADMIN_KEY);
  return {
    get cloud() {
      return cloud;
    },
    clock,
    dataDir,
    async staged() {
      const folders = Array.from({ length: NODES }, (_, index) => nodeFolder(dataDir, index));
      const paths = folders.map(async (each) => {
        const parts = join(each, 'blobs', 'parts');
        return (await readdir(parts)).map((name) => join(parts, name));
      });
      return (await Promise.all(paths)).flat();
    },
    database,
    flags: ['--data', dataDir, ...(database === undefined ? [] : ['--database', database])],
    openDb: () => openDb(dataDir, database),
    async inDatabase(run) {
      const db = await openDb(dataDir, database);
      try {
        return await retryConflicts(() => run(db));
      } finally {
        await db.destroy();
      }
    },
    admin,
    clientFor,
    async createKey(scope) {
      const response = await admin.call('POST', '/v1/api-keys', { name: `A ${scope} key`, scope });
      return response.data.key;
    },
    async restart(downMs = 0, changed = {}) {
      const port = Number(new URL(cloud.url).port);
      await cloud.close();
      clock.advance(downMs);
      cloud = await start(port, changed);
    },
    async close() {
      await cloud.close();
      for (const run of onClose) {
        await run();
      }
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
