import { expect, test } from 'vitest';
import { rolloutsTrial } from '../../test/support/rollouts-trial.ts';

test('seeded regressions are stopped in the first ring, and healthy versions are not', async () => {
  const report = await rolloutsTrial({ regressions: 10, healthy: 12, seed: 1, maxFleet: 6000 });
  expect(report).toMatchObject({
    regressions: { rollouts: 10, stoppedInFirstRing: 10, missed: [] },
    healthy: { rollouts: 12, stopped: [] },
  });
  expect(report.regressions.largestShare).toBeLessThanOrEqual(0.01);
});
