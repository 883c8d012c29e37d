import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { CompiledQuery, Kysely, Migrator, sql, SqliteDialect } from 'kysely';
import { setMostRecent } from '../domain/lru-map.ts';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { DatabaseSchema } from './schema.ts';
import { errorCode, errorMessage } from '../domain/error-details.ts';

export type Db = Kysely<DatabaseSchema>;

/** The command line holds the write lock for milliseconds; waiting longer than a second means a problem. */
const BEGIN_ATTEMPTS = 20;
const BEGIN_PAUSE_MS = 50;
/** Limits of the statement cache. Long statements are bulk inserts of varying length, which rarely repeat. */
const MAX_CACHED_STATEMENTS = 500;
const MAX_CACHED_STATEMENT_LENGTH = 4_000;
/** Bytes that the write-ahead log keeps on disk after a checkpoint. */
const MAX_JOURNAL_BYTES = 64 * 2 ** 20;

/**
 * Opens, creates and migrates the database of a data folder. Refuses a database written by a newer version. On a full
 * disk `freeSpace` is called until it returns false.
 */
export async function openDatabase(dataDir: string, freeSpace = () => false): Promise<Db> {
  for (;;) {
    try {
      return await open(dataDir);
    } catch (error) {
      if (storageFailureOf(error) !== 'full' || !freeSpace()) {
        throw error;
      }
    }
  }
}

async function open(dataDir: string): Promise<Db> {
  const file = join(dataDir, 'cloud.sqlite');
  let sqlite: Sqlite.Database | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    restrictToOwner(file);
    sqlite = new Sqlite(file);
    // SQLite does not persist `synchronous`; without FULL a power cut can lose committed writes.
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // Shrinks the log again at the next checkpoint after a large transaction.
    sqlite.pragma(`journal_size_limit = ${MAX_JOURNAL_BYTES}`);
    // SQLite's own function handles ASCII only; searching for ü must find Ü.
    sqlite.function('lower', { deterministic: true }, (text: unknown) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
  } catch (cause) {
    sqlite?.close();
    if (storageFailureOf(cause) === 'full') {
      throw cause;
    }
    throw new StartupError(
      `The data folder ${dataDir} cannot be used (${errorMessage(cause)}). ` +
        'Give this user write access to it, or choose another with --data.',
      cause,
    );
  }
  const pragmas = {
    journal: sqlite.pragma('journal_mode', { simple: true }),
    synchronous: sqlite.pragma('synchronous', { simple: true }),
    foreignKeys: sqlite.pragma('foreign_keys', { simple: true }),
  };
  if (pragmas.journal !== 'wal' || pragmas.synchronous !== 2 || pragmas.foreignKeys !== 1) {
    sqlite.close();
    throw new StartupError(
      `The disk that holds ${file} does not allow safe writes (${JSON.stringify(pragmas)}). ` +
        'Put the data folder on a local disk with --data.',
    );
  }
  // Opening uses SQLite's default timeout; from here on waiting in SQLite must be short, because it blocks the event
  // loop.
  sqlite.pragma('busy_timeout = 100');
  const db = new Kysely<DatabaseSchema>({ dialect: createWriteLockingDialect(sqlite) });
  try {
    await migrate(db, file);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

/**
 * Creates the file, or restricts it, for this user only: it contains webhook secrets. SQLite creates the journal
 * files with the same mode.
 */
function restrictToOwner(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    // The file belongs to another user, who gave us write access.
    if (errorCode(error) !== 'EPERM') {
      throw error;
    }
  }
}

/**
 * Takes the write lock at the start of each transaction. A transaction that reads first and writes later would fail
 * if another process (the command line) has written in between.
 */
function createWriteLockingDialect(database: Sqlite.Database): SqliteDialect {
  const dialect = new SqliteDialect({
    database: { prepare: cacheStatements(database), close: () => database.close() },
  });
  const makeDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => {
    const driver = makeDriver();
    driver.beginTransaction = async (connection) => {
      for (let attempt = 1; ; attempt++) {
        try {
          await connection.executeQuery(CompiledQuery.raw('begin immediate'));
          return;
        } catch (error) {
          if (storageFailureOf(error) !== 'busy' || attempt === BEGIN_ATTEMPTS) {
            throw error;
          }
          await setTimeout(BEGIN_PAUSE_MS);
        }
      }
    };
    // On a full disk SQLite may already have rolled back; a second rollback would hide the original error.
    driver.rollbackTransaction = async (connection) => {
      if (database.inTransaction) {
        await connection.executeQuery(CompiledQuery.raw('rollback'));
      }
    };
    return driver;
  };
  return dialect;
}

/** Caches prepared statements; preparing takes a fifth of the time of a small request. */
function cacheStatements(database: Sqlite.Database): (text: string) => Sqlite.Statement {
  const statements = new Map<string, Sqlite.Statement>();
  return (text) => {
    const cached = statements.get(text);
    const statement = cached ?? database.prepare(text);
    if (text.length > MAX_CACHED_STATEMENT_LENGTH) {
      return statement;
    }
    setMostRecent(statements, text, statement, MAX_CACHED_STATEMENTS);
    return statement;
  };
}

async function migrate(db: Db, file: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (tables.some((table) => table.name === 'kysely_migration')) {
    const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    const unknown = applied.rows.filter((row) => !(row.name in MIGRATIONS));
    if (unknown.length > 0) {
      throw new StartupError(
        `The database ${file} was written by a newer version of this program (unknown migrations: ${unknown
          .map((row) => row.name)
          .join(', ')}). Start that version, or choose another folder with --data.`,
      );
    }
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw error instanceof Error ? error : new Error('database migration failed', { cause: error });
  }
}
