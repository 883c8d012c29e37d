import { close, closeSync, fdatasync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type Sqlite from 'better-sqlite3';

const BYTES_AT_ONCE = 2 ** 20;

/** Makes what was written to a file durable. */
export interface WalSync {
  /** Resolves when all that was written before the call is on the disk; rejects if it may not be. */
  sync: () => Promise<void>;
  /** Waits for running and queued syncs, then closes the file. */
  close: () => Promise<void>;
}

/**
 * The thread pool of Node waits for the disk (fdatasync) while the event loop goes on. Group commit: a call made while a sync is
 * running waits for the next sync, which all such calls share. The file must exist.
 */
export function createWalSync(
  file: string,
  syncFile: (fd: number) => Promise<void> = promisify(fdatasync),
): WalSync {
  // Windows flushes only a file that is open for writing.
  const fd = openSync(file, 'r+');
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const start = async (): Promise<void> => {
    next = null;
    try {
      await syncFile(fd);
    } finally {
      // Here and not later, so that no call starts another sync beside the queued one.
      running = next;
    }
  };

  return {
    sync() {
      if (running) {
        next ??= running.then(start, start);
        return next;
      }
      running = start();
      return running;
    },
    async close() {
      await Promise.allSettled([running, next]);
      await promisify(close)(fd);
    },
  };
}

/**
 * Makes the write-ahead log (WAL) that a process has left durable, before anything is added to it: writes its bytes once more
 * and syncs them. After a failed fsync the kernel treats the lost pages as written, so that a sync alone would succeed without
 * writing them, and at a power cut whatever follows them in the log would be lost as well. Not by a checkpoint, which would
 * mix pages of before and after if the power were cut during it. Throws what the disk or SQLite says.
 */
export function rewriteWal(writer: Sqlite.Database, file: string): void {
  // Nobody else adds to the log, or truncates it, meanwhile.
  writer.exec('begin immediate');
  try {
    const fd = openSync(file, 'r+');
    try {
      const bytes = Buffer.alloc(BYTES_AT_ONCE);
      for (let at = 0, read = 0; (read = readSync(fd, bytes, 0, bytes.length, at)) > 0; at += read) {
        writeSync(fd, bytes, 0, read, at);
      }
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } finally {
    writer.exec('rollback');
  }
}
