import { expect, test } from 'vitest';
import { rolloutsTrial } from '../../test/support/rollouts-trial.ts';

test('seeded regressions of a stated size are stopped in the first ring, and healthy versions are not', async () => {
  const { regressions, healthy } = await rolloutsTrial({
    regressions: 10,
    healthy: 12,
    seed: 1,
    maxFleet: 6000,
  });
  expect(regressions.missed).toEqual([]);
  expect(regressions.ofStatedSize).toBeGreaterThanOrEqual(10);
  expect(regressions.largestShare).toBeLessThanOrEqual(0.01);
  expect(healthy).toMatchObject({ rollouts: 12, stopped: [] });
});
