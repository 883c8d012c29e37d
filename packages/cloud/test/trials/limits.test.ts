import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apart, boundary, burst, LIMITS, pairingStarts, sliding } from './limits-trial.ts';
import type { LimitsScene } from './limits-trial.ts';
import { createChance } from './support/chance.ts';
import { openCloud } from './support/open-cloud.ts';
import type { OpenCloud } from './support/open-cloud.ts';

const SCOPES = ['Read', 'Write', 'Admin'] as const;

describe('100 / 30 / 30 requests a minute', () => {
  let cloud: OpenCloud;
  let scene: LimitsScene;
  const chance = createChance(1);

  beforeAll(async () => {
    cloud = await openCloud();
    scene = {
      url: cloud.url,
      adminKey: cloud.adminKey,
      chance,
      nowMs: () => cloud.nowMs(),
      pass: async (ms) => cloud.pass(ms),
      slackMs: 0,
    };
  });
  afterAll(() => cloud.close());

  test.each(SCOPES)(
    'a burst with a %s key passes exactly up to the limit, and Retry-After is kept',
    async (scope) => {
      expect((await burst(scene, scope)).refused).toBe(LIMITS[scope] + 1);
    },
  );

  test.each(SCOPES)('a full minute of the clock gives a %s key nothing away', async (scope) => {
    expect((await boundary(scene, scope)).requests).toBe(LIMITS[scope] + 1);
  });

  test.each(SCOPES)(
    'at no instant do more or fewer requests of a %s key pass',
    { timeout: 120_000 },
    async (scope) => {
      const report = await sliding(scene, scope, LIMITS[scope] * 6);
      expect(report.refused, `seed ${chance.seed}`).toBeGreaterThan(0);
    },
  );

  test('each key and each device has a minute of its own', async () => {
    expect(await apart(scene)).toBe(120);
  });

  test('pairing starts are limited by address', async () => {
    expect(await pairingStarts(scene)).toBe(60);
  });
});
