import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { eventsTrial } from './events/events-trial.ts';

test(
  'consumers that keep their cursor get each change once, however often they and the cloud are killed',
  { timeout: 600_000 },
  async () => {
    const report = await eventsTrial({ changes: 40, kills: 3, random: createSeededRandom(1) });
    expect(report).toMatchObject({ changes: 40, kills: 3, consumerKills: 6 });
  },
);
