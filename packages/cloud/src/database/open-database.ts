import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { createWalSync, rewriteWal } from './wal-sync.ts';
import type { WalSync } from './wal-sync.ts';
import { migrate, requireMigrated } from './migrate.ts';
import type { Db } from './db.ts';
import type { DatabaseSchema } from './schema.ts';
import { BUSY_TIMEOUT_MS, createSqliteDialect } from './sqlite-dialect.ts';
import type { SqliteConnections, SqliteDialect, SqliteOptions } from './sqlite-dialect.ts';
import { createTurnReads } from './turn-reads.ts';
import { errorCode, errorMessage } from '../domain/error-details.ts';

/** The database itself, as opposed to a transaction of it. */
export type RootDb = Db & Pick<SqliteDialect, 'runInTransaction'> & SqliteConnections;

/** Bytes that the write-ahead log (WAL) keeps on disk after a checkpoint. */
const MAX_WAL_BYTES = 64 * 2 ** 20;

/**
 * Pages in the WAL before a commit moves them to the database itself: 32 MB. `checkpoints.ts` moves them at half of
 * that, unless one transaction changes so many.
 */
const MAX_WAL_PAGES = 8_000;

/** Grows as needed: a heartbeat writes to pages that the one of a minute ago has touched. */
const WRITER_CACHE_KIB = 16_384;

/** The command line holds the write lock for milliseconds; waiting longer means a problem. */
const LOCK_WAIT_MS = 3_000;

interface OpenOptions extends Partial<Omit<SqliteOptions, 'walSync'>> {
  /** Whether to migrate it. If not, one that this version has not migrated is refused: a cloud of another version may run on it. */
  migrates?: boolean;
  /** It is the cloud that opens it, of which there is one, and not a command beside it. */
  isCloud?: boolean;
  /** fdatasync, replaced in tests. */
  syncFile?: (fd: number) => Promise<void>;
  /** Called on a full disk, until it returns false. */
  freeSpace?: () => boolean;
}

/** Opens, creates and migrates the database of a data folder. Refuses one of a newer version that this one cannot use. */
export async function openDatabase(
  dataDir: string,
  { freeSpace = () => false, lockWaitMs = LOCK_WAIT_MS, ...options }: OpenOptions = {},
): Promise<RootDb> {
  for (;;) {
    try {
      return await open(dataDir, { lockWaitMs, ...options });
    } catch (error) {
      if (storageFailureOf(error) !== 'full' || !freeSpace()) {
        throw error;
      }
    }
  }
}

async function open(
  dataDir: string,
  { migrates = true, ...options }: Omit<OpenOptions, 'freeSpace'> & Pick<SqliteOptions, 'lockWaitMs'>,
): Promise<RootDb> {
  const file = join(dataDir, 'cloud.sqlite');
  const opened: Sqlite.Database[] = [];
  const openConnection = (options?: Sqlite.Options): Sqlite.Database => {
    const connection = new Sqlite(file, options);
    opened.push(connection);
    // SQLite's own function handles ASCII only; searching for ü must find Ü.
    connection.function('lower_all_letters', { deterministic: true }, (text: unknown) =>
      typeof text === 'string' ? text.toLowerCase() : text,
    );
    return connection;
  };
  let connections: SqliteConnections;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    restrictToOwner(file);
    const writer = openConnection();
    // SQLite does not persist `synchronous`; without FULL a power cut can lose committed writes. `runInTransaction` uses
    // NORMAL for its own transactions, and syncs the WAL afterwards.
    writer.pragma('journal_mode = WAL');
    writer.pragma('synchronous = FULL');
    writer.pragma('foreign_keys = ON');
    // Shrinks the WAL again at the next checkpoint after a large transaction.
    writer.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
    writer.pragma(`wal_autocheckpoint = ${MAX_WAL_PAGES}`);
    writer.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
    connections = { writer, reader: openConnection({ readonly: true }), turnReads: createTurnReads(writer) };
  } catch (cause) {
    opened.forEach((connection) => connection.close());
    if (storageFailureOf(cause) === 'full') {
      throw cause;
    }
    throw new StartupError(
      `The data folder ${dataDir} cannot be used (${errorMessage(cause)}). ` +
        'Give this user write access to it, or choose another with --data.',
      cause,
    );
  }
  const { writer } = connections;
  const pragmas = {
    journal: writer.pragma('journal_mode', { simple: true }),
    synchronous: writer.pragma('synchronous', { simple: true }),
    foreignKeys: writer.pragma('foreign_keys', { simple: true }),
  };
  if (pragmas.journal !== 'wal' || pragmas.synchronous !== 2 || pragmas.foreignKeys !== 1) {
    opened.forEach((connection) => connection.close());
    throw new StartupError(
      `The disk that holds ${file} does not allow safe writes (${JSON.stringify(pragmas)}). ` +
        'Put the data folder on a local disk with --data.',
    );
  }
  const walSync = openWal(connections, options, () => opened.forEach((connection) => connection.close()));
  // Opening waits within SQLite, for its default timeout; from here on writes wait outside of it (`sqlite-dialect.ts`).
  opened.forEach((connection) => connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`));
  const dialect = createSqliteDialect(connections, { ...options, walSync });
  const db = new Kysely<DatabaseSchema>({ dialect });
  try {
    if (migrates) {
      // A migration that replaces a table would delete what refers to its rows. Within a transaction it cannot be set.
      writer.pragma('foreign_keys = OFF');
      await migrate(db, {
        place: `The database ${file}`,
        advice: 'choose another folder with --data',
        log: options.log,
      });
      writer.pragma('foreign_keys = ON');
    } else {
      await requireMigrated(db, file, { allowNewer: true });
    }
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return Object.assign(db, { runInTransaction: dialect.runInTransaction, ...connections });
}

/** Of the connection that writes. Calls `close` before it throws. */
function openWal(
  { writer }: SqliteConnections,
  { isCloud = false, syncFile }: Pick<OpenOptions, 'isCloud' | 'syncFile'>,
  close: () => void,
): WalSync {
  try {
    // Whoever opens the database by a symbolic link has the log beside what it refers to.
    const { file } = writer
      .prepare<[], { file: string }>("select file from pragma_database_list where name = 'main'")
      .get()!;
    const log = `${file}-wal`;
    if (isCloud) {
      rewriteWal(writer, log);
    }
    return createWalSync(log, syncFile);
  } catch (cause) {
    close();
    if (storageFailureOf(cause) !== null) {
      throw cause;
    }
    throw new StartupError(
      `The write-ahead log of the database ${writer.name} cannot be written to the disk (${errorMessage(cause)}). ` +
        'Check the disk, or restore a backup to another one.',
      cause,
    );
  }
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
