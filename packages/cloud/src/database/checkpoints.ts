import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { errorMessage } from '../domain/error-details.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';

/**
 * Pages in the write-ahead log before they are moved to the database: 16 MB. With 1,000 the same pages are moved more often,
 * which takes 5 µs more of each heartbeat.
 */
const CHECKPOINT_PAGES = 4_000;

/**
 * How often the pages are counted meanwhile, if each row that is written changes one. Counting them takes 8 to 17 µs, counting
 * rows 0.5.
 */
const COUNTS_PER_MOVE = 8;

/** Its heap has 8 MB; with all that it adds, the process has 17 MB more. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

/** What `pragma wal_checkpoint` returns: pages of the log, and those of them that are in the database. */
interface WalPages {
  log: number;
  checkpointed: number;
}

/** Moves what was committed from the write-ahead log to the database. */
export interface Checkpoints {
  /** Call it after each commit, before another transaction begins. Does not throw. */
  afterCommit: () => void;
  /** Ends the thread, which closes its connection. */
  stop: () => Promise<void>;
}

export interface CheckpointDeps {
  writer: Sqlite.Database;
  /** Runs it while no transaction is open. */
  betweenTransactions: (work: () => void) => Promise<void>;
  log?: Pick<Logger, 'warn'> | undefined;
  /** Pages in the log before they are moved. */
  checkpointPages?: number | undefined;
  /** What the thread runs. */
  main?: string;
}

/**
 * A thread moves the log while the cloud goes on committing; the cloud itself moves only what was committed meanwhile, because
 * the log is used from its beginning again once all of it was moved (ADR 0059).
 */
export function createCheckpoints({
  writer,
  betweenTransactions,
  log,
  checkpointPages = CHECKPOINT_PAGES,
  main = PROGRAM_FILES.checkpointMain,
}: CheckpointDeps): Checkpoints {
  const totalChanges = writer.prepare<[], number>('select total_changes()').pluck();
  const walPages = writer.prepare<[], WalPages>('pragma wal_checkpoint(noop)');
  const rowsBetweenCounts = checkpointPages / COUNTS_PER_MOVE;
  let thread: Worker | null = null;
  let isRunning = false;
  let isStopped = false;
  let rowsAtCount = 0;

  const warn = (message: string, problem: string): void => {
    log?.warn({ message: `${message}: ${problem}` }, 'database.checkpoint_failed');
  };

  const moveRest = async (): Promise<void> => {
    try {
      await betweenTransactions(() => writer.pragma('wal_checkpoint(passive)'));
    } catch (error) {
      if (!isStopped) {
        warn('the write-ahead log was not moved to the database', errorMessage(error));
      }
    }
    isRunning = false;
  };

  const startThread = (): Worker => {
    const started = new Worker(main, { workerData: { file: writer.name }, resourceLimits: THREAD_LIMITS });
    started.unref();
    started.on('message', (problem: string | null) => {
      if (problem !== null) {
        warn('the thread did not move the write-ahead log to the database', problem);
      }
      void moveRest();
    });
    started.on('error', (error) => giveUp(error));
    return started;
  };

  /** `isRunning` stays true: from now on SQLite moves the log within a commit, as it does by itself. */
  const giveUp = (error: unknown): void => {
    warn(
      'the thread that moves the write-ahead log has ended, so everybody waits while it is moved',
      errorMessage(error),
    );
    writer.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  };

  return {
    afterCommit() {
      if (isRunning || isStopped) {
        return;
      }
      const rows = totalChanges.get()!;
      if (rows - rowsAtCount < rowsBetweenCounts) {
        return;
      }
      rowsAtCount = rows;
      const pages = walPages.get()!;
      if (pages.log - pages.checkpointed < checkpointPages) {
        return;
      }
      isRunning = true;
      try {
        thread ??= startThread();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        thread.postMessage('move');
      } catch (error) {
        giveUp(error);
      }
    },
    async stop() {
      isStopped = true;
      await thread?.terminate();
    },
  };
}
