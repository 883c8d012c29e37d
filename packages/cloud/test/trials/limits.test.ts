import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  testSeparateLimits,
  testMinuteBoundary,
  testBurst,
  LIMITS,
  testPairingStarts,
  testSlidingWindow,
} from './limits-trial.ts';
import type { LimitsContext } from './limits-trial.ts';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { startInProcessCloud } from './support/in-process-cloud.ts';
import type { InProcessCloud } from './support/in-process-cloud.ts';

const SCOPES = ['Read', 'Write', 'Admin'] as const;

describe('100 / 30 / 30 requests a minute', () => {
  let cloud: InProcessCloud;
  let context: LimitsContext;
  const random = createSeededRandom(1);

  beforeAll(async () => {
    cloud = await startInProcessCloud();
    context = {
      url: cloud.url,
      adminKey: cloud.adminKey,
      random,
      nowMs: () => cloud.nowMs(),
      advanceTime: async (ms) => cloud.advanceTime(ms),
      slackMs: 0,
    };
  });
  afterAll(() => cloud.close());

  test.each(SCOPES)(
    'a burst with a %s key passes exactly up to the limit, and Retry-After is correct',
    async (scope) => {
      expect((await testBurst(context, scope)).refused).toBe(LIMITS[scope] + 1);
    },
  );

  test.each(SCOPES)('the limit of a %s key is not reset at a full minute', async (scope) => {
    expect((await testMinuteBoundary(context, scope)).requests).toBe(LIMITS[scope] + 1);
  });

  test.each(SCOPES)(
    'exactly the allowed requests of a %s key pass at any time',
    { timeout: 600_000 },
    async (scope) => {
      const report = await testSlidingWindow(context, scope, LIMITS[scope] * 6);
      expect(report.refused, `seed ${random.seed}`).toBeGreaterThan(0);
    },
  );

  test('each key and each device has its own limit', async () => {
    expect(await testSeparateLimits(context)).toBe(120);
  });

  test('pairing starts are limited by address', async () => {
    expect(await testPairingStarts(context)).toBe(60);
  });
});
