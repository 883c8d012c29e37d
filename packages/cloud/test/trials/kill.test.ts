import { expect, test } from 'vitest';
import { killTrial } from './kill/kill-trial.ts';

test(
  'acknowledged data survives a kill at any time, complete and without duplicates',
  { timeout: 600_000 },
  async () => {
    const report = await killTrial({ rounds: 10, seed: 1 });
    // The trial is valid only if there was load.
    expect(report.retries).toBeGreaterThan(0);
    expect(report.counts['assets']).toBeGreaterThan(0);
    expect(report.socketHeartbeats.acknowledged).toBeGreaterThan(0);
    expect(report.socketHeartbeats.refused).toBeGreaterThan(0);
  },
);
