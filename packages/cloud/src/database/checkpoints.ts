import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { errorMessage } from '../domain/error-details.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';

/**
 * Rows written before the log is moved. A heartbeat writes one row and about as many pages; so many heartbeats of 5,000
 * devices write to some pages several times, and those are moved once.
 */
const MIN_CHANGES = 4_000;

/** It allocates next to nothing. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

/** Moves what was committed from the write-ahead log to the database. */
export interface Checkpoints {
  /** Call it after each commit. */
  afterCommit: () => void;
  /** Closes the connection of the thread. */
  stop: () => Promise<void>;
}

export interface CheckpointDeps {
  writer: Sqlite.Database;
  /** Runs it while no transaction is open. */
  betweenTransactions: (work: () => void) => Promise<void>;
  log?: Pick<Logger, 'warn'> | undefined;
  /** Rows written before the log is moved. */
  minChanges?: number | undefined;
  /** What the thread runs. */
  main?: string;
}

/**
 * A thread does it while the cloud goes on committing; the cloud itself moves only what was committed meanwhile, because the
 * log is used from its beginning again once all of it was moved. Done by the cloud alone, 4,000 pages of 100,000 devices kept
 * everybody waiting for 50 ms, every 2.4 s; this way it is 3 ms.
 */
export function createCheckpoints({
  writer,
  betweenTransactions,
  log,
  minChanges = MIN_CHANGES,
  main = PROGRAM_FILES.checkpointMain,
}: CheckpointDeps): Checkpoints {
  const totalChanges = writer.prepare<[], number>('select total_changes()').pluck();
  let thread: Worker | null = null;
  let isRunning = false;
  let isStopped = false;
  let changesMoved = 0;

  const moveRest = async (): Promise<void> => {
    try {
      await betweenTransactions(() => {
        writer.pragma('wal_checkpoint(passive)');
        changesMoved = totalChanges.get()!;
      });
    } catch (error) {
      if (!isStopped) {
        warn('the write-ahead log was not moved to the database', error);
      }
    }
    isRunning = false;
  };
  const warn = (message: string, error: unknown): void =>
    log?.warn({ message: `${message}: ${errorMessage(error)}` }, 'database.checkpoint_failed');

  const startThread = (): Worker => {
    const started = new Worker(main, { workerData: { file: writer.name }, resourceLimits: THREAD_LIMITS });
    started.unref();
    started.on('message', () => void moveRest());
    // `isRunning` stays: from now on SQLite moves the log within a commit, when it is as long as it may be.
    started.on('error', (error) => warn('the thread that moves the write-ahead log has ended', error));
    return started;
  };

  return {
    afterCommit() {
      if (isRunning || isStopped || totalChanges.get()! - changesMoved < minChanges) {
        return;
      }
      isRunning = true;
      thread ??= startThread();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage('move');
    },
    async stop() {
      isStopped = true;
      await thread?.terminate();
    },
  };
}
