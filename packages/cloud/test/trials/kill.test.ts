import { expect, test } from 'vitest';
import { killTrial } from './kill/kill-trial.ts';

test('what was answered survives a kill at any instant, once and whole', { timeout: 300_000 }, async () => {
  const report = await killTrial({ rounds: 10, seed: 1 });
  // A trial in which nothing was under way proves nothing.
  expect(report.sentAgain).toBeGreaterThan(0);
  expect(report.held['assets']).toBeGreaterThan(0);
});
