import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';

const LARGEST_BYTES = 5 * 1024 * 1024;

/** Log of the shell in `<data>/logs/shell.log`; one older file is kept, so that it never outgrows 10 MB. */
export function openShellLog(dataDir: string): Logger {
  const folder = join(dataDir, 'logs');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'shell.log');
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_BYTES) renameSync(path, `${path}.1`);
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: path, sync: true }),
  );
}
