import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { webhooksTrial } from './webhooks-trial.ts';

test(
  'a receiver that fails at times gets every event, signed, in order per resource',
  { timeout: 600_000 },
  async () => {
    const report = await webhooksTrial({ rounds: 5, random: createSeededRandom(1) });
    expect(report.events).toBe(70);
  },
);
