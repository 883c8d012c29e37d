import { expect, test } from 'vitest';
import { mediaTrial } from './trials/fuzz/media-trial.ts';

test('damaged files of every format stop and slow nobody', { timeout: 600_000 }, async () => {
  // One known choice of files, with the known killers among them; new ones are looked for by `npm run trial:fuzz`.
  const report = await mediaTrial({ files: 120, seed: 1, slowestMs: 2000, killerEvery: 20 });
  expect(report.files).toBe(120);
  expect(report.accepted).toBeGreaterThan(12);
  expect(Object.keys(report.formats).length).toBeGreaterThan(20);
  expect(report.refused).toMatchObject({ too_slow: expect.any(Number), too_many_pixels: expect.any(Number) });
});
