import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { groupRuns } from './process-group.ts';

it.runIf(process.platform === 'linux')(
  'sees what a leader has left behind, until that has ended',
  async () => {
    const leader = spawn('sh', ['-c', 'sleep 1000 & echo $!; exit 0'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line]: unknown[] = await once(leader.stdout, 'data');
    const left = Number(String(line));
    onTestFinished(() => {
      try {
        process.kill(left, 'SIGKILL');
      } catch {
        // Ended in the test.
      }
    });
    await once(leader, 'exit');
    expect(groupRuns(leader.pid!)).toBe(true);
    process.kill(left, 'SIGKILL');
    await until('nothing to run', () => !groupRuns(leader.pid!));
  },
);
