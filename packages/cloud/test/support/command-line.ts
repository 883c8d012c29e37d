import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The entry file of the cloud. */
export const MAIN = join(import.meta.dirname, '../../src/main.ts');

export interface Finished {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a command of the cloud to its end. */
export async function runCommand(...args: string[]): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
  const [code] = await once(child, 'close');
  return { code, out, err };
}
