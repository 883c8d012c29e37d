import { expect, test } from 'vitest';
import { fuzzTrial } from './fuzz/fuzz-trial.ts';
import { newSeed } from './support/chance.ts';

test('odd requests to every operation get documented answers', { timeout: 120_000 }, async () => {
  const report = await fuzzTrial({ requests: 700, seed: newSeed() });
  // Each operation has to be met behind its door, not only refused at it.
  expect(report.succeeded).toBeGreaterThan(report.operations * 0.5);
});
