import { expect, test } from 'vitest';
import { createChance } from './support/chance.ts';
import { webhooksTrial } from './webhooks-trial.ts';

test(
  'a receiver that is ill by turns gets every event, signed, in order per thing',
  { timeout: 120_000 },
  async () => {
    const report = await webhooksTrial({ rounds: 5, chance: createChance(1) });
    expect(report.events).toBe(70);
  },
);
