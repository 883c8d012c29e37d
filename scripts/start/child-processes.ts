import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 4_500;

/** How a program ended by itself. */
export interface ProgramExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The end of its output on stderr. */
  stderrTail: string;
}

export interface Program {
  /** A Node script and its arguments. */
  args: string[];
  /** Added to the environment of this process. */
  env?: Record<string, string>;
  /** Called with every line on stdout. */
  onLine(this: void, line: string): void;
  /** Called once when the program ends by itself, after its last line. */
  onExit(this: void, exit: ProgramExit): void;
}

/** Programs started together and stopped together. */
export function createChildProcesses(deps: { cwd: string }) {
  const running = new Set<ChildProcess>();
  let stopping = false;

  return {
    /** Starts a Node program; does nothing after `stop` was called. */
    start({ args, env = {}, onLine, onExit }: Program) {
      if (stopping) {
        return;
      }
      const child = spawn(process.execPath, args, {
        cwd: deps.cwd,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.add(child);
      createInterface(child.stdout).on('line', onLine);
      let stderrTail = '';
      child.stderr
        .setEncoding('utf8')
        .on('data', (text: string) => (stderrTail = (stderrTail + text).slice(-2_000)));
      // 'close', not 'exit': by then all output has been read.
      child.once('close', (code, signal) => {
        running.delete(child);
        if (!stopping) {
          onExit({ code, signal, stderrTail: stderrTail.trim() });
        }
      });
    },
    /** Sends SIGTERM to all, and SIGKILL after 4.5 s. */
    async stop() {
      stopping = true;
      const allClosed = Promise.all([...running].map((child) => once(child, 'close')));
      for (const child of running) {
        child.kill('SIGTERM');
      }
      await Promise.race([allClosed, sleep(STOP_TIMEOUT_MS, null, { ref: false })]);
      for (const child of running) {
        child.kill('SIGKILL');
      }
    },
  };
}
