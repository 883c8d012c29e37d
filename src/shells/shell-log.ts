import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';

const LARGEST_BYTES = 5 * 1024 * 1024;

/**
 * Log of the shell in `<data>/logs/shell.log`; one older file is kept, so that it never outgrows 10 MB.
 * A line that cannot be written (the disk is full, the folder is gone) is lost: no log is worth the picture.
 */
export function openShellLog(dataDir: string): Logger {
  const folder = join(dataDir, 'logs');
  const path = join(folder, 'shell.log');
  const write = (line: string): void => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LARGEST_BYTES) renameSync(path, `${path}.1`);
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // Said above.
    }
  };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}
