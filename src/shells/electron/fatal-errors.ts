import type { ShellLog } from '../supervision/shell-log.ts';

/** The parts of Node's `process` that are used here. */
export interface FatalProcess {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface OutputStream {
  on(event: 'error', listener: () => void): unknown;
  write(text: string): unknown;
}

export type FatalErrors = ReturnType<typeof exitOnFatalErrors>;

const EXIT_FATAL = 1;
/** Electron closes its windows before it ends; one of them may hang. */
const EXIT_TIMEOUT_MS = 2_000;

/**
 * Ends the process at once on an uncaught error. Without a listener Electron shows a dialog over the picture and
 * continues in an undefined state; with one it does neither. The program that started the player restarts it.
 */
export function exitOnFatalErrors(deps: {
  process: FatalProcess;
  /** Electron's `app.exit`. */
  exit(code: number): void;
  /** Kills the process, even if it hangs. */
  kill(): void;
}) {
  let log: ShellLog | null = null;
  let isExiting = false;

  /** Logs the error and ends the process, as for an uncaught error. */
  function exitWithError(error: unknown): void {
    if (isExiting) {
      return;
    }
    isExiting = true;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    setTimeout(() => deps.kill(), EXIT_TIMEOUT_MS);
    try {
      log?.error({ error: text }, 'player.crashed');
      deps.process.stderr.write(`The player ends because of an error: ${text}\n`);
    } catch {
      // Nobody reads the output.
    }
    deps.exit(EXIT_FATAL);
  }

  deps.process.on('uncaughtException', exitWithError);
  deps.process.on('unhandledRejection', exitWithError);
  // The reader of the output may have ended; that must not stop playback. Windows may have no streams at all.
  for (const name of ['stdout', 'stderr'] as const) {
    try {
      deps.process[name].on('error', () => {});
    } catch {
      // There is no such stream.
    }
  }
  return {
    /** From now on a fatal error is written to this log too. */
    logTo(shellLog: ShellLog) {
      log = shellLog;
    },
    exitWithError,
  };
}
