import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_WITHIN_MS = 4_500;

/** Programs started together and stopped together. */
export interface Children {
  /** Starts a Node program; its environment is this one plus `env`. */
  start(name: string, args: string[], env?: Record<string, string>): void;
  /** Asks all to end, and after 4.5 s makes them. */
  stop(): Promise<void>;
}

/** `onEnded` is told when one ends by itself, with its last lines on stderr. */
export function createChildren(deps: { cwd: string; onEnded: (message: string) => void }): Children {
  const running = new Set<ChildProcess>();
  let stopping = false;

  return {
    start(name, args, env = {}) {
      const child = spawn(process.execPath, args, {
        cwd: deps.cwd,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      running.add(child);
      let lastWords = '';
      child.stderr
        .setEncoding('utf8')
        .on('data', (text: string) => (lastWords = (lastWords + text).slice(-2_000)));
      // 'close', not 'exit': by then all that the program said has been read.
      child.once('close', (code, signal) => {
        running.delete(child);
        if (!stopping)
          deps.onEnded(`The ${name} ended (${signal ?? `exit code ${code}`}).\n${lastWords.trim()}`);
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
