import { expect, test } from 'vitest';
import { uploadTrial } from './upload-trial.ts';

test(
  'large, cut off, odd and equal uploads are stored whole or leave nothing',
  { timeout: 120_000 },
  async () => {
    const report = await uploadTrial({ bytes: 96 * 2 ** 20, tooLarge: false });
    for (const [transfer, rise] of Object.entries(report.rssRiseMiB)) expect(rise, transfer).toBeLessThan(64);
  },
);
