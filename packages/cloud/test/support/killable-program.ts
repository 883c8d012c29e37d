import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { CLOUD_MAIN } from './command-line.ts';

/** The built program on a data folder, which can be killed without clean-up and started again, at another address. */
export function killableProgram(data: string, env: () => Readonly<Record<string, string>>) {
  let url = '';
  let child: ChildProcess | null = null;
  return {
    url: () => url,
    async start(this: void): Promise<void> {
      child = spawn(process.execPath, [CLOUD_MAIN, '--port', '0', '--data', data], {
        env: { ...process.env, ...env() },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let output = '';
      child.stdout?.on('data', (bytes: Buffer) => (output += bytes.toString()));
      await waitUntil('the address of the cloud', () => output.includes('Data '));
      url = /API +(\S+)\/v1/.exec(output)?.[1] ?? '';
    },
    async kill(this: void): Promise<void> {
      if (child && child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
      }
    },
  };
}
