import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createDebuggingPipe } from './debugging-pipe.ts';
import type { DebuggingPipe } from './debugging-pipe.ts';
import { isProcessGroupRunning } from './process-group.ts';

/** A running browser with its debugging pipe. */
export interface BrowserProcess {
  readonly pipe: DebuggingPipe;
  /** Resolves with the reason when the process has ended. */
  readonly exited: Promise<string>;
  /** Asks the browser to end, then kills it, or kills it at once (`force`); resolves when no process of it is left. */
  stop(mode?: 'graceful' | 'force'): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 1_500;
const SIGTERM_TIMEOUT_MS = 1_000;
/** A killed process exists until the kernel has reaped it, which takes a moment on a busy machine. */
const SIGKILL_TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 20;
const MAX_OUTPUT_CHARS = 4_000;

export function startBrowser(command: {
  executable: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}): BrowserProcess {
  // A separate process group: Ctrl-C in the terminal reaches only the player, which then ends the browser in order;
  // and processes that the browser started can be ended with it.
  const ownProcessGroup = process.platform !== 'win32';
  const child = spawn(command.executable, [...command.args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...command.env },
    detached: ownProcessGroup,
    windowsHide: true,
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_CHARS);
  });
  // Descriptors 3 and 4 of the child: it reads commands from one and writes responses to the other.
  const [, , , toBrowser, fromBrowser] = child.stdio;
  if (!(toBrowser instanceof Writable) || !(fromBrowser instanceof Readable)) {
    throw new TypeError('the browser was started without its debugging pipe');
  }
  const pipe = createDebuggingPipe(toBrowser, fromBrowser);

  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`the browser could not be started (${error.message})`));
    child.once('exit', (code, signal) => {
      const lastLine = output.trim().split('\n').at(-1) ?? '';
      resolve(`the browser ended (${signal ?? `code ${code}`})${lastLine ? `: ${lastLine}` : ''}`);
    });
  });

  const kill = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) {
      return;
    }
    try {
      process.kill(ownProcessGroup ? -child.pid : child.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  const exitedWithin = (ms: number) =>
    Promise.race([exited.then(() => true), wait(ms, false, { ref: false })]);

  const isRunning = () => child.exitCode === null && child.signalCode === null;

  async function closeGracefully(): Promise<void> {
    pipe.send('Browser.close').catch(() => {});
    if (await exitedWithin(CLOSE_TIMEOUT_MS)) {
      return;
    }
    kill('SIGTERM');
    await exitedWithin(SIGTERM_TIMEOUT_MS);
  }

  return {
    pipe,
    exited,
    async stop(mode = 'graceful') {
      if (child.pid === undefined) {
        return;
      }
      if (mode === 'graceful' && isRunning()) {
        await closeGracefully();
      }
      // The browser, and helpers that outlived it: they must not share the profile with a new one.
      kill('SIGKILL');
      // A process that hangs in its driver for ever is left until the next boot.
      await exitedWithin(SIGKILL_TIMEOUT_MS);
      const deadlineMs = performance.now() + SIGKILL_TIMEOUT_MS;
      while (
        process.platform === 'linux' &&
        isProcessGroupRunning(child.pid) &&
        performance.now() < deadlineMs
      ) {
        await wait(POLL_INTERVAL_MS);
      }
    },
  };
}
