import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The built program, as an operator starts it; the global set-up of the tests builds it. */
export const CLOUD_MAIN = join(import.meta.dirname, '../../dist/program/main.js');

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of the cloud and waits for its end. */
export async function runCommand(...args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [CLOUD_MAIN, ...args], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
