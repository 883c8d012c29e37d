/**
 * The thread that moves committed pages from the write-ahead log to the database file, once for each message, which it
 * answers when it has done so.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

/**
 * SQLite has the disk write the pages that it moved only if nothing was committed meanwhile. The first time it moves
 * thousands, the next ones few, in fractions of a millisecond.
 */
const ATTEMPTS = 3;

const port = parentPort!;
const { file }: { file: string } = workerData;
const database = new Sqlite(file);
database.pragma('synchronous = FULL');

port.on('message', () => {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      database.pragma('wal_checkpoint(passive)');
    }
  } catch {
    // Such as a full disk. The cloud moves the rest itself, and gets the same error.
  }
  port.postMessage('done');
});
