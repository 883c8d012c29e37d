import type { PlayerDatabase } from '../../src/core/ports.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { openPlayerDatabase } from './open-player-database.ts';
import { tempDir } from './temp-dir.ts';

/** A database, and the same database after a restart of the player. */
interface Subject {
  database: PlayerDatabase;
  readonly reopen: () => PlayerDatabase;
}

function sqlite(): Subject {
  const dir = tempDir();
  let database = openPlayerDatabase(dir);
  return {
    database,
    reopen() {
      database.close();
      database = openPlayerDatabase(dir);
      return database;
    },
  };
}

function memory(): Subject {
  const database = createMemoryDatabase();
  return { database, reopen: () => database };
}

/** Every implementation of the player database, by name. */
export const PLAYER_DATABASES = [
  ['SQLite', sqlite],
  ['memory', memory],
] as const;
