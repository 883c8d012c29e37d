/**
 * The thread that moves committed pages from the write-ahead log to the database file, once for each message. Its answer is
 * null, or what went wrong.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { errorMessage } from '../../domain/error-details.ts';

/**
 * SQLite syncs the database file only if nothing was committed since the move began. The first one moves thousands of pages;
 * the others move few, so commits in between are unlikely.
 */
const ATTEMPTS = 3;

const port = parentPort!;
const { file }: { file: string } = workerData;
const database = new Sqlite(file, { fileMustExist: true });

port.on('message', () => {
  let problem: string | null = null;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      database.pragma('wal_checkpoint(passive)');
    }
  } catch (error) {
    problem = errorMessage(error);
  }
  port.postMessage(problem);
});
