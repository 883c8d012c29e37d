import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { moveTrial } from './move-trial.ts';

test('a move that is killed again and again ends complete and equal', { timeout: 600_000 }, async () => {
  const report = await moveTrial({
    sizes: { devices: 300, plays: 30_000, mediaFiles: 40, bytesPerFile: 100_000 },
    kills: 3,
    random: createSeededRandom(1),
  });
  expect(report.runs).toHaveLength(4);
  expect(report.output.join('\n')).toMatch(/^Equal +\d+ rows in \d+ tables and 40 media files/m);
});
