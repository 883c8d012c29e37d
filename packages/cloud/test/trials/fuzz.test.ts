import { expect, test } from 'vitest';
import { fuzzTrial } from './fuzz/fuzz-trial.ts';

test('odd requests to every operation get documented answers', { timeout: 120_000 }, async () => {
  // One known choice of requests, as in the other short forms: new ones are looked for by the long form.
  const report = await fuzzTrial({ requests: 700, seed: 1 });
  // Each operation has to be met behind its door, not only refused at it.
  expect(report.succeeded).toBeGreaterThan(report.operations * 0.5);
});
