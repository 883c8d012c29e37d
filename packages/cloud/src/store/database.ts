import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { CompiledQuery, Kysely, Migrator, sql, SqliteDialect } from 'kysely';
import { startFault } from '../domain/start-fault.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { Database } from './schema.ts';
import { codeOf, messageOf } from '../domain/error-facts.ts';

export type Db = Kysely<Database>;

/** The command line writes now and then, for some milliseconds; who holds the lock for seconds is in trouble. */
const BEGIN_ATTEMPTS = 20;
const BEGIN_PAUSE_MS = 50;
/** Statements that are kept prepared, and the longest of them; long ones are inserts of many rows, each of another length. */
const MOST_STATEMENTS = 500;
const LONGEST_STATEMENT = 4_000;
/** Bytes that the write-ahead log takes up on the disk while nobody needs it. */
const LONGEST_JOURNAL = 64 * 2 ** 20;

/**
 * Opens (and makes, and migrates) the database of a data folder. Refuses one that a newer program wrote. On a full disk
 * `makeRoom` is asked for some until it has none left.
 */
export async function openDatabase(dataDir: string, makeRoom = () => false): Promise<Db> {
  for (;;)
    try {
      return await open(dataDir);
    } catch (error) {
      if (storageTroubleOf(error) !== 'full' || !makeRoom()) throw error;
    }
}

async function open(dataDir: string): Promise<Db> {
  const file = join(dataDir, 'cloud.sqlite');
  let sqlite: Sqlite.Database | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    keepPrivate(file);
    sqlite = new Sqlite(file);
    // SQLite forgets `synchronous` at every open; without FULL a power cut can take accepted writes with it.
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // What one large change made the log grow to is given back at the next checkpoint.
    sqlite.pragma(`journal_size_limit = ${LONGEST_JOURNAL}`);
    // SQLite's own knows ASCII only; people search for Ü with ü.
    sqlite.function('lower', { deterministic: true }, (text: unknown) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
  } catch (cause) {
    sqlite?.close();
    if (storageTroubleOf(cause) === 'full') throw cause;
    throw startFault(
      `The data folder ${dataDir} cannot be used (${messageOf(cause)}). ` +
        'Give this user write access to it, or choose another with --data.',
      cause,
    );
  }
  const held = {
    journal: sqlite.pragma('journal_mode', { simple: true }),
    synchronous: sqlite.pragma('synchronous', { simple: true }),
    foreignKeys: sqlite.pragma('foreign_keys', { simple: true }),
  };
  if (held.journal !== 'wal' || held.synchronous !== 2 || held.foreignKeys !== 1) {
    sqlite.close();
    throw startFault(
      `The disk that holds ${file} does not allow safe writes (${JSON.stringify(held)}). ` +
        'Put the data folder on a local disk with --data.',
    );
  }
  // Opened with SQLite's own patience; from here on nobody waits in it for long, for that stops everything else.
  sqlite.pragma('busy_timeout = 100');
  const db = new Kysely<Database>({ dialect: writingDialect(sqlite) });
  try {
    await migrate(db, file);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

/** Makes the file, or keeps it, for this user alone: it holds secrets of webhooks. Its journals are as it is. */
function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    // It belongs to another user, who lets us write to it.
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/**
 * Takes the write lock when a transaction begins. One that reads first and writes later would fail when
 * another process (the command line) has written in between.
 */
function writingDialect(database: Sqlite.Database): SqliteDialect {
  const dialect = new SqliteDialect({
    database: { prepare: keepStatements(database), close: () => database.close() },
  });
  const makeDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => {
    const driver = makeDriver();
    driver.beginTransaction = async (connection) => {
      for (let attempt = 1; ; attempt++)
        try {
          await connection.executeQuery(CompiledQuery.raw('begin immediate'));
          return;
        } catch (error) {
          if (storageTroubleOf(error) !== 'busy' || attempt === BEGIN_ATTEMPTS) throw error;
          await setTimeout(BEGIN_PAUSE_MS);
        }
    };
    // SQLite may have rolled back by itself, on a full disk; to do so again would hide why.
    driver.rollbackTransaction = async (connection) => {
      if (database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    };
    return driver;
  };
  return dialect;
}

/** Prepares each statement once; without this a fifth of the time of a small request is spent on it. */
function keepStatements(database: Sqlite.Database): (text: string) => Sqlite.Statement {
  const kept = new Map<string, Sqlite.Statement>();
  return (text) => {
    const known = kept.get(text);
    const statement = known ?? database.prepare(text);
    if (text.length > LONGEST_STATEMENT) return statement;
    // The one that was not used for longest is first.
    if (known) kept.delete(text);
    kept.set(text, statement);
    for (const [oldest] of kept) {
      if (kept.size <= MOST_STATEMENTS) break;
      kept.delete(oldest);
    }
    return statement;
  };
}

async function migrate(db: Db, file: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (tables.some((table) => table.name === 'kysely_migration')) {
    const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    const unknown = applied.rows.filter((row) => !(row.name in MIGRATIONS));
    if (unknown.length > 0)
      throw startFault(
        `The database ${file} was written by a newer version of this program (it knows ${unknown
          .map((row) => row.name)
          .join(', ')}). Start that version, or choose another folder with --data.`,
      );
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw error instanceof Error ? error : new Error('the database could not be migrated', { cause: error });
}
