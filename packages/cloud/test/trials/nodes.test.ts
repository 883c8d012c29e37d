import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { missedFigures } from './nodes/nodes-report.ts';
import { nodesTrial } from './nodes/nodes-trial.ts';

test(
  'nothing acknowledged is lost when a node is killed, and when PostgreSQL is away',
  { timeout: 600_000 },
  async () => {
    const report = await nodesTrial({
      devices: 20,
      kills: 1,
      outages: 2,
      outageSeconds: 2,
      pauseSeconds: 2,
      random: createSeededRandom(1),
      fleetArgs: '--heartbeat-seconds 1 --play-seconds 1 --commands-per-minute 120 --calm'.split(' '),
    });
    // How long requests take says nothing on a busy machine.
    expect(missedFigures(report).filter((missed) => !missed.includes('took'))).toEqual([]);
    expect(report.kills).toHaveLength(1);
    expect(report.outages.map(({ unavailable }) => unavailable > 0)).toEqual([true, true]);
    expect(report.uploads).toBeGreaterThan(1);
    expect(report.audit).toMatchObject({ plays: expect.any(Number), findings: {} });
  },
);
