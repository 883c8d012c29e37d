import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createSqliteStore,
  type SqliteStore,
  type SqliteStoreDeps,
} from '../../src/adapters/sqlite-store/sqlite-store.ts';
import { createQuietLog } from './quiet-log.ts';

/** The store of the player whose data folder this is, closed with the test at the latest. */
export function openStore(dir: string, more: Partial<SqliteStoreDeps> = {}): SqliteStore {
  const store = createSqliteStore({
    file: join(dir, 'player.sqlite'),
    identityFile: join(dir, 'identity.json'),
    server: 'http://cloud.test',
    nowMs: 0,
    log: createQuietLog(),
    ...more,
  });
  onTestFinished(() => store.close());
  return store;
}
