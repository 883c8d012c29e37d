import { setTimeout as sleep } from 'node:timers/promises';
import {
  testSeparateLimits,
  testMinuteBoundary,
  testBurst,
  LIMITS,
  testPairingStarts,
  testSlidingWindow,
} from './limits-trial.ts';
import type { LimitsReport, LimitsContext } from './limits-trial.ts';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { startTrialCloud } from './support/trial-cloud.ts';

const SCOPES = ['Read', 'Write', 'Admin'] as const;

/** Tests the rate limits of a cloud in its own process in real time: takes some minutes. */
export async function limitsInRealTime(seed: number): Promise<Record<string, LimitsReport | number>> {
  const { cloud, close } = await startTrialCloud();
  const context: LimitsContext = {
    url: cloud.url,
    adminKey: cloud.adminKey,
    random: createSeededRandom(seed),
    nowMs: () => Date.now(),
    async advanceTime(ms) {
      await sleep(ms);
    },
    // Our clock is read before and after a request, the server's in between.
    slackMs: 1_000,
  };
  const report: Record<string, LimitsReport | number> = { seed };
  try {
    await Promise.all(
      SCOPES.map(async (scope) => {
        report[`${scope} burst`] = await testBurst(context, scope);
        report[`${scope} boundary`] = await testMinuteBoundary(context, scope);
        report[`${scope} sliding`] = await testSlidingWindow(context, scope, LIMITS[scope] * 4);
      }),
    );
    report['device'] = await testSeparateLimits(context);
    report['pairing'] = await testPairingStarts(context);
    return report;
  } finally {
    await close();
  }
}
