import { expect, test } from 'vitest';
import { mediaTrial } from './fuzz/media-trial.ts';

test(
  'damaged files of every format neither crash nor slow down the cloud',
  { timeout: 600_000 },
  async () => {
    // A fixed set of files with known malicious ones; `npm run trial:fuzz` searches for new ones.
    const report = await mediaTrial({ files: 120, seed: 1, maxResponseMs: 2000, maliciousEvery: 20 });
    expect(report.files).toBe(120);
    expect(report.accepted).toBeGreaterThan(12);
    expect(Object.keys(report.formats).length).toBeGreaterThan(20);
    expect(report.refused).toMatchObject({
      too_slow: expect.any(Number),
      too_many_pixels: expect.any(Number),
    });
  },
);
