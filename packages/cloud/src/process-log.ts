import { format } from 'node:util';
import { pino } from 'pino';
import type { Logger } from 'pino';

/** The log of the cloud: one line of JSON on stderr for each event. */
export function createProcessLog(level: string): Logger {
  return pino(
    { level, base: null, redact: ['*.authorization', '*.key', '*.token'] },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** Makes the warnings of Node lines of the log. */
export function logWarnings(log: Logger): void {
  // Node prints them by a listener of its own.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ event: 'process.warning', err: warning }));
}

/** Makes what libraries print on stderr, and the error that ends the process, lines of the log. */
export function logWholeProcess(log: Logger): void {
  const printed = (...parts: unknown[]) => log.warn({ event: 'process.printed', text: format(...parts) });
  Object.assign(console, { warn: printed, error: printed, trace: printed });
  const ended = (error: unknown) => {
    log.fatal(
      { event: 'process.crashed', err: error },
      'the cloud ends because of an error that nobody caught',
    );
    process.exit(1);
  };
  process.on('uncaughtException', ended);
  process.on('unhandledRejection', ended);
}
