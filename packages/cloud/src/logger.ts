import { format } from 'node:util';
import { pino } from 'pino';
import type { Logger } from 'pino';

/** The logger of the cloud: JSON lines on stderr. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, messageKey: 'event', redact: ['*.authorization', '*.key', '*.token'] },
    pino.destination({ dest: 2, sync: true }),
  );
}

export function logNodeWarnings(log: Logger): void {
  // Node.js prints them with a listener of its own.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'process.warned'));
}

/** Writes console output of libraries, and the error that ends the process, to the log. */
export function logConsoleAndCrashes(log: Logger): void {
  const logConsole = (...parts: unknown[]) => log.warn({ text: format(...parts) }, 'process.printed');
  Object.assign(console, { warn: logConsole, error: logConsole, trace: logConsole });
  const logCrash = (error: unknown) => {
    log.fatal({ err: error }, 'process.crashed');
    process.exit(1);
  };
  process.on('uncaughtException', logCrash);
  process.on('unhandledRejection', logCrash);
}
