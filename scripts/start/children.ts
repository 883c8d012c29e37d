import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_WITHIN_MS = 4_500;

/** How a program ended by itself. */
export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** What it last said on stderr. */
  lastWords: string;
}

export interface Program {
  /** A Node script and its arguments. */
  args: string[];
  /** Added to the environment of this process. */
  env?: Record<string, string>;
  /** Told every line on stdout. */
  onLine(this: void, line: string): void;
  /** Told once when it ends by itself, after all that it said. */
  onEnded(this: void, end: End): void;
}

/** Programs started together and stopped together. */
export interface Children {
  /** Starts a Node program; does nothing any more once `stop` was called. */
  start(program: Program): void;
  /** Asks all to end, and after 4.5 s makes them. */
  stop(): Promise<void>;
}

export function createChildren(deps: { cwd: string }): Children {
  const running = new Set<ChildProcess>();
  let stopping = false;

  return {
    start({ args, env = {}, onLine, onEnded }) {
      if (stopping) return;
      const child = spawn(process.execPath, args, {
        cwd: deps.cwd,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.add(child);
      createInterface(child.stdout).on('line', onLine);
      let lastWords = '';
      child.stderr
        .setEncoding('utf8')
        .on('data', (text: string) => (lastWords = (lastWords + text).slice(-2_000)));
      // 'close', not 'exit': by then all that the program said has been read.
      child.once('close', (code, signal) => {
        running.delete(child);
        if (!stopping) onEnded({ code, signal, lastWords: lastWords.trim() });
      });
    },
    async stop() {
      stopping = true;
      const ended = Promise.all([...running].map((child) => once(child, 'close')));
      for (const child of running) child.kill('SIGTERM');
      await Promise.race([ended, sleep(STOP_WITHIN_MS, null, { ref: false })]);
      for (const child of running) child.kill('SIGKILL');
    },
  };
}
