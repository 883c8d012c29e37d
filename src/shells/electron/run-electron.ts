import { spawn } from 'node:child_process';
import type { ShellLog } from '../supervision/shell-log.ts';

/** Runs the player inside Electron, which does its own supervision; returns its exit code. */
export function runElectron(deps: {
  binary: string;
  /** Switches, the built main script of the Electron shell, and the player's own arguments. */
  args: readonly string[];
  log: ShellLog;
  signal: AbortSignal;
}): Promise<number> {
  const child = spawn(deps.binary, [...deps.args], { stdio: 'inherit' });
  deps.signal.addEventListener('abort', () => void child.kill('SIGTERM'), { once: true });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      deps.log.error({ error: error.message }, 'electron.start_failed');
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
