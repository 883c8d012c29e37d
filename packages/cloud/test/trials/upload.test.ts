import { expect, test } from 'vitest';
import { uploadTrial } from './upload-trial.ts';

test(
  'large, interrupted, malformed and identical uploads are stored completely or leave nothing',
  { timeout: 600_000 },
  async () => {
    const report = await uploadTrial({ bytes: 96 * 2 ** 20, tooLarge: false });
    for (const [transfer, rise] of Object.entries(report.rssRiseMiB)) {
      expect(rise, transfer).toBeLessThan(64);
    }
  },
);
