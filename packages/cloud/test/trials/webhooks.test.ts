import { expect, test } from 'vitest';
import { createChance, newSeed } from './support/chance.ts';
import { webhooksTrial } from './webhooks-trial.ts';

test(
  'a receiver that is ill by turns gets every event, signed, in order per thing',
  { timeout: 120_000 },
  async () => {
    const chance = createChance(newSeed());
    const report = await webhooksTrial({ rounds: 5, chance });
    expect(report.events, `seed ${chance.seed}`).toBe(70);
  },
);
