import { setTimeout } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { Logger } from 'pino';
import { errorCode } from '../domain/error-details.ts';
import { setMostRecent } from '../domain/lru-map.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { WalSync } from './wal-sync.ts';
import { prepareOnce } from './prepare-once.ts';
import type { TurnReads } from './turn-reads.ts';

/** How long SQLite itself waits for another process that writes: short, because it blocks the event loop. */
export const BUSY_TIMEOUT_MS = 5;
const WRITE_PAUSE_MS = 20;
/** Limits of the statement caches. Long statements are bulk inserts of varying length, which rarely repeat. */
const MAX_CACHED_STATEMENTS = 500;
const MAX_CACHED_STATEMENT_LENGTH = 4_000;

/** The two connections to one database file in write-ahead mode. */
export interface SqliteConnections {
  writer: Sqlite.Database;
  /** Opened read-only, for reads while a transaction is open: they see the last commit and do not wait for it. */
  reader: Sqlite.Database;
  /** Of the writer. */
  turnReads: TurnReads;
}

/** True while the writer is in a transaction that may change something. */
export const isWriting = ({ writer, turnReads }: SqliteConnections): boolean =>
  writer.inTransaction && !turnReads.isOpen();

export interface SqliteOptions {
  /** How long a write waits for another process that writes. */
  lockWaitMs: number;
  /** Pages in the write-ahead log before a thread moves them to the database; 4,000 by default. */
  checkpointPages?: number | undefined;
  /** For migrations, and for a WAL that was not moved to the database or not synced. */
  log?: Pick<Logger, 'warn' | 'fatal'> | undefined;
  /** Syncs the write-ahead log (WAL). Closed with the database. */
  walSync: WalSync;
  /** Ends the process at once. */
  endProcess?: (() => void) | undefined;
}

/** A Kysely dialect, and the way around Kysely for the few paths where its cost matters. */
export interface SqliteDialect extends Dialect {
  /**
   * Runs synchronous work in one transaction on the writer, after transactions that were started before. Everything it
   * did is undone if it throws. Resolves when it is on the disk; others may read it some milliseconds before (ADR 0060).
   */
  readonly runInTransaction: <T>(work: () => T) => Promise<T>;
}

/**
 * Kysely's own adapter denies it, so that each statement of a migration would be committed alone: after a power cut
 * between two of them the database could never be opened again.
 */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Like Kysely's own dialect, except for this. Statements are cached. All migrations of a start are one transaction. Reads outside of
 * transactions never wait for one. A transaction takes the write lock at its start: one that reads first and writes later
 * would fail if another process (the command line) has written in between. While another process writes, a write is tried
 * again for `lockWaitMs`.
 */
export function createSqliteDialect(
  connections: SqliteConnections,
  { lockWaitMs, checkpointPages, log, walSync, endProcess = killProcess }: SqliteOptions,
): SqliteDialect {
  const { writer, reader, turnReads } = connections;
  const writeAttempts = Math.ceil(lockWaitMs / (BUSY_TIMEOUT_MS + WRITE_PAUSE_MS));
  const writeStatement = cacheStatements(writer);
  const readStatement = cacheStatements(reader);
  const lock = createLock();
  /** Only a new process is safe after it: `rewriteWal` says why. */
  const endAfterFailedSync = (error: unknown): Promise<never> => {
    log?.fatal({ err: error }, 'database.sync_failed');
    endProcess();
    // Never settles: no caller is answered before the process is dead.
    return new Promise(() => {});
  };

  const commit = (): void => {
    try {
      writer.exec('commit');
    } catch (error) {
      endIfUnsynced(error);
      throw error;
    }
    checkpoints.afterCommit();
  };

  /** Ends the process if a commit failed at its fsync: what was committed with NORMAL before it may be lost as well. */
  const endIfUnsynced = (error: unknown): void => {
    if (errorCode(error) === 'SQLITE_IOERR_FSYNC') {
      void endAfterFailedSync(error);
    }
  };

  /** Does not throw: whoever waits for the lock would wait for ever. */
  const restoreFullSync = (): void => {
    if (!writer.open) {
      return;
    }
    try {
      if (writer.inTransaction) {
        writer.exec('rollback');
      }
      writer.pragma('synchronous = FULL');
    } catch (error) {
      // Later transactions would be acknowledged before they are on the disk.
      void endAfterFailedSync(error);
    }
  };

  /** Tries a write of its own again while another process writes; the event loop goes on meanwhile. */
  const whenUnlocked = async <T>(write: () => T): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      turnReads.end();
      try {
        return write();
      } catch (error) {
        if (storageFailureOf(error) !== 'busy' || attempt >= writeAttempts) {
          throw error;
        }
        await setTimeout(WRITE_PAUSE_MS);
      }
    }
  };

  const checkpoints = createCheckpoints({
    writer,
    async betweenTransactions(work) {
      const unlock = await lock();
      try {
        await whenUnlocked(work);
      } finally {
        unlock();
      }
    },
    log,
    checkpointPages,
  });

  /** Holds the lock of the writer only while it needs it; Kysely does not say for what it takes a connection. */
  class Connection implements DatabaseConnection {
    /** Null outside of a transaction. */
    #unlock: (() => void) | null = null;

    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Kysely's signature
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      if (this.#unlock) {
        return execute(writeStatement(sql), parameters);
      }
      const statement = writeStatement(sql);
      // A pragma sets or shows the state of the connection that writes.
      if (statement.readonly && !/^\s*pragma/i.test(sql)) {
        // Between transactions the writer reads faster: it has kept its pages, while those of the reader are outdated by
        // every commit.
        return execute(isWriting(connections) ? readStatement(sql) : statement, parameters);
      }
      const unlock = await lock();
      try {
        const result = await whenUnlocked(() => execute<Row>(statement, parameters));
        checkpoints.afterCommit();
        return result;
      } catch (error) {
        endIfUnsynced(error);
        throw error;
      } finally {
        unlock();
      }
    }
    // oxlint-disable-next-line require-yield -- not supported, and not used
    async *streamQuery(): AsyncGenerator<never> {
      throw new Error('streaming is not supported');
    }
    async begin(): Promise<void> {
      const unlock = await lock();
      try {
        await whenUnlocked(() => writer.exec('begin immediate'));
      } catch (error) {
        unlock();
        throw error;
      }
      this.#unlock = unlock;
    }
    rollback(): void {
      // On a full disk SQLite may already have rolled back; a second rollback would hide the original error.
      if (writer.inTransaction) {
        writer.exec('rollback');
      }
    }
    release(): void {
      this.#unlock?.();
      this.#unlock = null;
    }
  }

  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => new Connection(),
    beginTransaction: (connection) => asOurs(connection).begin(),
    commitTransaction: async () => commit(),
    rollbackTransaction: async (connection) => asOurs(connection).rollback(),
    releaseConnection: async (connection) => asOurs(connection).release(),
    /** Waits for the running transaction. */
    async destroy() {
      // First: the last connection that is closed moves the log and deletes its file.
      await checkpoints.stop();
      const unlock = await lock();
      try {
        turnReads.end();
        await walSync.close();
      } finally {
        reader.close();
        writer.close();
        // Whoever waits gets an error.
        unlock();
      }
    },
  };
  const asOurs = (connection: DatabaseConnection): Connection => {
    if (!(connection instanceof Connection)) {
      throw new TypeError('a connection of another database');
    }
    return connection;
  };

  return {
    createAdapter: () => new TransactionalDdlAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    async runInTransaction(work) {
      const unlock = await lock();
      let result;
      try {
        await whenUnlocked(() => {
          // It cannot be changed within a transaction.
          writer.pragma('synchronous = NORMAL');
          writer.exec('begin immediate');
        });
        result = work();
        commit();
      } finally {
        restoreFullSync();
        unlock();
      }
      // Also if nothing was written: the request may repeat one that a killed process committed but had not synced.
      await walSync.sync().catch(endAfterFailedSync);
      return result;
    },
  };
}

/** At once: nothing more is written or acknowledged, and the database is not closed, which would checkpoint the log. */
function killProcess(): void {
  process.kill(process.pid, 'SIGKILL');
  // Process 1 of a container ignores SIGKILL from within; abort ends it by a fault.
  process.abort();
}

function execute<Row>(statement: Sqlite.Statement, parameters: readonly unknown[]): QueryResult<Row> {
  if (statement.reader) {
    // Kysely derives the type of the rows from the query.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { rows: statement.all(parameters) as Row[] };
  }
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
}

/** Caches prepared statements; preparing takes a fifth of the time of a small request. */
function cacheStatements(database: Sqlite.Database): (text: string) => Sqlite.Statement {
  const statements = new Map<string, Sqlite.Statement>();
  return (text) => {
    const statement = statements.get(text) ?? prepareOnce(database, text);
    if (text.length <= MAX_CACHED_STATEMENT_LENGTH) {
      setMostRecent(statements, text, statement, MAX_CACHED_STATEMENTS);
    }
    return statement;
  };
}

/** Returns a function that waits for its turn and resolves with what ends it. */
function createLock(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    return before.then(() => resolve);
  };
}
