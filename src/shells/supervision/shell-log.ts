import { join } from 'node:path';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { openLogFile } from '../../adapters/log-file/log-file.ts';
import type { Log } from '../../core/ports.ts';
import { createRedactor } from '../../runtime/redactor.ts';

/** The part of a log that the shells use. */
export type ShellLog = Pick<Log, 'info' | 'warn' | 'error'>;

/** Log of the shell in `<data>/logs/shell.log`, limited to 10 MB, without passwords of addresses. */
export function openShellLog(dataDir: string): Logger {
  const write = openLogFile(join(dataDir, 'logs', 'shell.log'));
  const { redact } = createRedactor();
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => write(redact(line)) },
  );
}
