import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPlayerDatabase as openDatabase } from '../../src/adapters/sqlite/player-database.ts';
import type { SqlitePlayerDatabase, PlayerDatabaseDeps } from '../../src/adapters/sqlite/player-database.ts';
import { createRecordingLog } from './recording-log.ts';

/** The player database in this data folder, closed at the end of the test at the latest. */
export function openPlayerDatabase(
  dir: string,
  overrides: Partial<PlayerDatabaseDeps> = {},
): SqlitePlayerDatabase {
  const database = openDatabase({
    file: join(dir, 'player.sqlite'),
    identityFile: join(dir, 'identity.json'),
    server: 'http://cloud.test',
    nowMs: 0,
    log: createRecordingLog(),
    ...overrides,
  });
  onTestFinished(() => database.close());
  return database;
}
