import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { isProcessGroupRunning } from './process-group.ts';

test.runIf(process.platform === 'linux')(
  'sees the processes that a leader has left behind, until they have ended',
  async () => {
    const leader = spawn('sh', ['-c', 'sleep 1000 & echo $!; exit 0'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line]: unknown[] = await once(leader.stdout, 'data');
    const survivorPid = Number(String(line));
    onTestFinished(() => {
      try {
        process.kill(survivorPid, 'SIGKILL');
      } catch {
        // Already ended by the test.
      }
    });
    await once(leader, 'exit');
    expect(isProcessGroupRunning(leader.pid!)).toBe(true);
    process.kill(survivorPid, 'SIGKILL');
    await waitUntil('nothing to run', () => !isProcessGroupRunning(leader.pid!));
  },
);
