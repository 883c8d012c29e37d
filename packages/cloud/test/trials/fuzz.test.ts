import { expect, test } from 'vitest';
import { fuzzTrial } from './fuzz/fuzz-trial.ts';

test('malformed requests to every operation get documented responses', { timeout: 600_000 }, async () => {
  // Fixed seed, as in the other short trials; the long trials search for new cases.
  const report = await fuzzTrial({ requests: 1200, seed: 1 });
  // Many operations must succeed at least once, not only reject requests.
  expect(report.succeeded).toBeGreaterThan(report.operations * 0.5);
  expect(Math.min(...Object.values(report.sockets)), JSON.stringify(report.sockets)).toBeGreaterThan(0);
});
