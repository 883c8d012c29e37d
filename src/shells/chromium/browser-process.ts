import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createDebuggingPipe, type DebuggingPipe } from './debugging-pipe.ts';
import { groupRuns } from './process-group.ts';

/** A running browser with its debugging pipe. */
export interface BrowserProcess {
  readonly pipe: DebuggingPipe;
  /** Resolves with the reason when the process has ended. */
  readonly exited: Promise<string>;
  /** Asks it to leave, then insists, or insists at once (`now`); resolves when no process of it is left. */
  end(how?: 'asked' | 'now'): Promise<void>;
}

const ASKED_PATIENCE_MS = 1_500;
const TOLD_PATIENCE_MS = 1_000;
/** What was killed is gone as soon as the kernel has put it away; a busy machine takes a moment. */
const KILLED_PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 20;
const KEPT_OUTPUT_CHARS = 4_000;

export function startBrowser(command: {
  executable: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}): BrowserProcess {
  // A process group of its own: Ctrl-C in the terminal reaches the player alone, which then ends the browser
  // in order; and what the browser started can be ended with it.
  const ownGroup = process.platform !== 'win32';
  const child = spawn(command.executable, [...command.args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...command.env },
    detached: ownGroup,
    windowsHide: true,
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-KEPT_OUTPUT_CHARS);
  });
  // Descriptors 3 and 4 of the child: it reads commands from one and writes answers to the other.
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
    if (child.pid === undefined) return;
    try {
      process.kill(ownGroup ? -child.pid : child.pid, signal);
    } catch {
      // It was faster.
    }
  };
  const exitedWithin = (ms: number) =>
    Promise.race([exited.then(() => true), wait(ms, false, { ref: false })]);

  const runs = () => child.exitCode === null && child.signalCode === null;

  async function ask(): Promise<void> {
    pipe.send('Browser.close').catch(() => {});
    if (await exitedWithin(ASKED_PATIENCE_MS)) return;
    kill('SIGTERM');
    await exitedWithin(TOLD_PATIENCE_MS);
  }

  return {
    pipe,
    exited,
    async end(how = 'asked') {
      if (child.pid === undefined) return;
      if (how === 'asked' && runs()) await ask();
      // The browser, and helpers that outlived it: a new one must not meet them in the profile.
      kill('SIGKILL');
      // One that waits in its driver for ever is left to the next boot.
      await exitedWithin(KILLED_PATIENCE_MS);
      const deadlineMs = performance.now() + KILLED_PATIENCE_MS;
      while (process.platform === 'linux' && groupRuns(child.pid) && performance.now() < deadlineMs)
        await wait(LOOK_EVERY_MS);
    },
  };
}
