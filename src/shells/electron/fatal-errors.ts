import type { ShellLog } from '../supervise.ts';

/** The parts of Node's `process` that are needed here. */
export interface FatalProcess {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface OutputStream {
  on(event: 'error', listener: () => void): unknown;
  write(text: string): unknown;
}

export interface FatalErrors {
  /** From now on a fatal error is written to this log too. */
  logTo(log: ShellLog): void;
  /** Logs the error and ends the process, as if nobody had caught it. */
  die(error: unknown): void;
}

const EXIT_FATAL = 1;
/** Electron closes its windows before it ends; one of them may hang. */
const EXIT_PATIENCE_MS = 2_000;

/**
 * Ends the process at once when an error was caught by nobody. Without a listener Electron shows a dialog over the sign
 * and goes on in whatever state it is; with one it does neither. Whoever started the player starts it again.
 */
export function exitOnFatalErrors(deps: {
  process: FatalProcess;
  /** Electron's `app.exit`. */
  exit(code: number): void;
  /** Ends the process whatever it is doing. */
  kill(): void;
}): FatalErrors {
  let log: ShellLog | null = null;
  let dying = false;

  function die(error: unknown): void {
    if (dying) return;
    dying = true;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    setTimeout(() => deps.kill(), EXIT_PATIENCE_MS);
    try {
      log?.error({ error: text }, 'player.crashed');
      deps.process.stderr.write(`The player ends because of an error: ${text}\n`);
    } catch {
      // Nobody reads it.
    }
    deps.exit(EXIT_FATAL);
  }

  deps.process.on('uncaughtException', die);
  deps.process.on('unhandledRejection', die);
  // Whoever read the output may be gone; no line is worth the picture. Windows may have no streams at all.
  for (const name of ['stdout', 'stderr'] as const) {
    try {
      deps.process[name].on('error', () => {});
    } catch {
      // Said above.
    }
  }
  return {
    logTo(shellLog) {
      log = shellLog;
    },
    die,
  };
}
