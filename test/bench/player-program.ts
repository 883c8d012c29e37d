import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const REPOSITORY = resolve(import.meta.dirname, '../..');
/** The built player. */
export const PLAYER_SHELL = 'dist/shells/main.js';

export interface StartedProgram {
  child: ChildProcess;
  /** Milliseconds from the start to the expected line, and the line. */
  seen: Promise<{ tookMs: number; text: string }>;
}

/**
 * Starts a player, given its shell, in the headless browser of the npm package, and waits for a line of its output. It
 * would take an installed browser, so it gets a PATH without one.
 */
export function startPlayer(
  shell: string,
  { cloudUrl, dataDir, expectedText }: { cloudUrl: string; dataDir: string; expectedText: string },
): StartedProgram {
  const beganMs = performance.now();
  const args = [shell, '--shell', 'headless', '--server', cloudUrl, '--data', dataDir];
  const child = spawn(process.execPath, args, {
    cwd: REPOSITORY,
    env: { ...process.env, PATH: dirname(process.execPath), PLACARD_DRY_RUN: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const seen = new Promise<{ tookMs: number; text: string }>((found, failed) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (text.includes(expectedText)) {
        found({ tookMs: performance.now() - beganMs, text });
      }
    });
    child.once('exit', (code) => failed(new Error(`exited with ${code} before printing ${expectedText}`)));
  });
  return { child, seen };
}

export async function stopPlayer({ child }: StartedProgram): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
