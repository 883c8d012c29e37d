import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { alertsTrial } from './alerts/alerts-trial.ts';

test(
  'each incident that lasts is one alert, with one mail of each step, however often the cloud is killed',
  { timeout: 600_000 },
  async () => {
    const report = await alertsTrial({
      incidents: 60,
      kills: 3,
      stores: 12,
      nodes: 1,
      random: createSeededRandom(1),
    });
    expect(report.kills).toBe(3);
    expect(report.alerts).toBeGreaterThan(20);
    expect(report.ofStores).toBeGreaterThan(0);
    expect(report.escalated).toBeGreaterThan(0);
    expect(report.mutedAtFirst).toBeGreaterThan(0);
    // Of five that are on their way at once.
    expect(report.mostRepeatedByOneKill).toBeLessThanOrEqual(5);
  },
);
