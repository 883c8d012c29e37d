import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Makes what was written to a file durable. */
export interface LogSync {
  /** Resolves when all that was written before the call is on the disk; rejects if it may not be. */
  synced: () => Promise<void>;
  /** Waits for the running one. */
  close: () => Promise<void>;
}

/**
 * The thread pool of Node waits for the disk while the event loop goes on. Whoever calls while the disk is written waits for
 * the next time, which is one for all of them. The file must exist.
 */
export function createLogSync(
  file: string,
  sync: (fd: number) => Promise<void> = promisify(fdatasync),
): LogSync {
  // Windows syncs only what is open for writing.
  const fd = openSync(file, 'r+');
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const start = async (): Promise<void> => {
    next = null;
    try {
      await sync(fd);
    } finally {
      // Without a gap in which a third one could begin.
      running = next;
    }
  };

  return {
    synced() {
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
