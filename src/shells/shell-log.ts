import { join } from 'node:path';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { openLogFile } from '../adapters/log-file/log-file.ts';

/** Log of the shell in `<data>/logs/shell.log`, limited to 10 MB. */
export function openShellLog(dataDir: string): Logger {
  const write = openLogFile(join(dataDir, 'logs', 'shell.log'));
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}
