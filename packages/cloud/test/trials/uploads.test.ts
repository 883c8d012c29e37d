import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { tusTrial } from './uploads/tus-trial.ts';

test(
  'a resumable upload arrives whole, however often its line is cut and the cloud is killed',
  { timeout: 600_000 },
  async () => {
    const report = await tusTrial({
      bytes: 64 * 2 ** 20,
      cuts: 6,
      kills: 2,
      random: createSeededRandom(1),
    });
    expect(report).toMatchObject({ cuts: 6, kills: 2 });
    expect(report.peakRssMiB).toBeLessThan(190);
  },
);
