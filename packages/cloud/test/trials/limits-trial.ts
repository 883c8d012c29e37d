import { operations } from '@placard/protocol/api';
import { createApi } from './support/api.ts';
import type { Api } from './support/api.ts';
import { assert } from './support/contract-violation.ts';
import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { createHttpClient } from './support/http-client.ts';
import type { HttpClient } from './support/http-client.ts';
import { pairDevice, pairingStartBody } from './support/paired-device.ts';

/** Requests allowed in any 60 seconds, by the contract. */
export const LIMITS = { Read: 100, Write: 30, Admin: 30 } as const;
const DEVICE_LIMIT = 120;
const PAIRING_LIMIT = 60;
const MINUTE_MS = 60_000;
type Scope = keyof typeof LIMITS;

/** A cloud under test, and how time advances: by its manual clock, or by waiting. */
export interface LimitsContext {
  url: string;
  adminKey: string;
  random: SeededRandom;
  nowMs(): number;
  advanceTime(ms: number): Promise<void>;
  /** Maximum difference between the clocks of client and server. */
  slackMs: number;
}

export interface LimitsReport {
  requests: number;
  refused: number;
  /** `Retry-After` values, in seconds, after which a request was accepted. */
  honouredRetryAfterSeconds: number[];
}

interface LimitedResponse {
  allowed: boolean;
  retryAfterS: number;
  remaining: number;
}

async function sendLimited(client: HttpClient, key: string): Promise<LimitedResponse> {
  const response = await client.send({ method: 'GET', path: '/v1/organization', key });
  const allowed = response.code === null;
  assert(allowed || response.code === 'RATE_LIMITED', 'only the rate limit may reject here', response.text);
  const header = (name: string) => {
    const value = response.headers[name] ?? '';
    assert(/^\d+$/.test(value), `${name} must be a whole number`, response.headers);
    return Number(value);
  };
  header('ratelimit-limit');
  header('ratelimit-reset');
  return {
    allowed,
    remaining: header('ratelimit-remaining'),
    retryAfterS: allowed ? 0 : header('retry-after'),
  };
}

async function makeKey(api: Api, scope: Scope): Promise<string> {
  return (await api.expectSuccess(operations.createApiKey, { body: { name: `limit ${scope}`, scope } })).key;
}

/** Runs a function with a connected client, then disconnects. */
async function withClient<T>(
  context: LimitsContext,
  run: (client: HttpClient, api: Api) => Promise<T>,
): Promise<T> {
  const client = createHttpClient({ url: context.url });
  try {
    return await run(client, createApi({ client, key: () => context.adminKey }));
  } finally {
    await client.close();
  }
}

/** A concurrent burst of twice the limit: exactly the limit passes; after `Retry-After` the next request does. */
export async function testBurst(context: LimitsContext, scope: Scope): Promise<LimitsReport> {
  return withClient(context, async (client, api) => {
    const key = await makeKey(api, scope);
    const hits = await Promise.all(Array.from({ length: LIMITS[scope] * 2 }, () => sendLimited(client, key)));
    const passed = hits.filter((one) => one.allowed);
    assert(passed.length === LIMITS[scope], `${passed.length} of a burst passed for ${scope}`);
    const remaining = passed.map((one) => one.remaining).toSorted((a, b) => a - b);
    assert(
      remaining.every((count, index) => count === index),
      'ratelimit-remaining does not count down',
      remaining,
    );
    const last = await sendLimited(client, key);
    assert(!last.allowed && last.retryAfterS <= 60, 'the burst must use up the whole minute', last);
    await context.advanceTime(last.retryAfterS * 1000);
    assert(
      (await sendLimited(client, key)).allowed,
      `waiting ${last.retryAfterS} s (Retry-After) was not enough`,
    );
    return {
      requests: hits.length + 2,
      refused: hits.length - passed.length + 1,
      honouredRetryAfterSeconds: [last.retryAfterS],
    };
  });
}

/** Half of the limit just before a full minute, the rest just after: the window must be sliding. */
export async function testMinuteBoundary(context: LimitsContext, scope: Scope): Promise<LimitsReport> {
  return withClient(context, async (client, api) => {
    const key = await makeKey(api, scope);
    const half = LIMITS[scope] / 2;
    const toMinute = MINUTE_MS - (context.nowMs() % MINUTE_MS);
    await context.advanceTime(toMinute > 3_000 ? toMinute - 3_000 : toMinute + MINUTE_MS - 3_000);
    for (let i = 0; i < half; i++) {
      assert((await sendLimited(client, key)).allowed, `request ${i + 1} of ${scope} was rejected`);
    }
    await context.advanceTime(MINUTE_MS - (context.nowMs() % MINUTE_MS) + 10);
    for (let i = half; i < LIMITS[scope]; i++) {
      assert((await sendLimited(client, key)).allowed, `request ${i + 1} of ${scope} was rejected`);
    }
    const over = await sendLimited(client, key);
    assert(!over.allowed, `request ${LIMITS[scope] + 1} of ${scope} passed across the full minute`);
    return { requests: LIMITS[scope] + 1, refused: 1, honouredRetryAfterSeconds: [] };
  });
}

/** Requests at random times, compared with a list of those that passed: never more and never fewer than the limit. */
export async function testSlidingWindow(
  context: LimitsContext,
  scope: Scope,
  requests: number,
): Promise<LimitsReport> {
  return withClient(context, async (client, api) => {
    const key = await makeKey(api, scope);
    const { random, slackMs } = context;
    let passed: number[] = [];
    const report: LimitsReport = { requests: 0, refused: 0, honouredRetryAfterSeconds: [] };
    for (let i = 0; i < requests; i++) {
      // Mostly bursts; sometimes seconds, rarely a large part of the window.
      await context.advanceTime(
        random.oneIn(LIMITS[scope]) ? random.below(45_000) : random.pick([0, 0, 0, 0, 1, 7, 300, 500]),
      );
      const before = context.nowMs();
      const found = await sendLimited(client, key);
      const after = context.nowMs();
      passed = passed.filter((at) => at > before - 2 * MINUTE_MS);
      const minPassed = passed.filter((at) => at > after - MINUTE_MS + slackMs).length;
      const maxPassed = passed.filter((at) => at > before - MINUTE_MS - slackMs).length;
      if (found.allowed) {
        assert(minPassed < LIMITS[scope], `${minPassed + 1} requests of ${scope} passed in one minute`);
        passed.push(after);
      } else {
        assert(
          maxPassed >= LIMITS[scope],
          `rejected with only ${maxPassed} requests of ${scope} in the last minute`,
        );
        const oldest = passed.at(-LIMITS[scope]) ?? before;
        const waitS = Math.ceil((oldest + MINUTE_MS - before) / 1000);
        assert(
          found.retryAfterS <= waitS + 1,
          `Retry-After is ${found.retryAfterS} s, but ${waitS} s are enough`,
        );
        report.refused++;
        if (random.oneIn(6)) {
          await context.advanceTime(found.retryAfterS * 1000);
          assert(
            (await sendLimited(client, key)).allowed,
            `waiting ${found.retryAfterS} s (Retry-After) was not enough`,
          );
          passed.push(context.nowMs());
          report.honouredRetryAfterSeconds.push(found.retryAfterS);
        }
      }
      report.requests++;
    }
    return report;
  });
}

/** Keys and devices have separate limits. Returns how many requests of the device passed. */
export async function testSeparateLimits(context: LimitsContext): Promise<number> {
  return withClient(context, async (client, api) => {
    const [first, second] = [await makeKey(api, 'Write'), await makeKey(api, 'Write')];
    const screen = await pairDevice(api, `LIMIT-${context.nowMs()}`, {}, '127.0.0.77');
    for (let i = 0; i < LIMITS.Write; i++) {
      await sendLimited(client, first);
    }
    assert(!(await sendLimited(client, first)).allowed, 'the first key is used up');
    assert((await sendLimited(client, second)).allowed, 'one key used up the limit of another');
    const responses = await Promise.all(
      Array.from({ length: DEVICE_LIMIT + 10 }, () =>
        client.send({ method: 'GET', path: '/v1/player/manifest', key: screen.token }),
      ),
    );
    const passed = responses.filter((response) => response.code === null).length;
    assert(passed === DEVICE_LIMIT, `${passed} requests of a device passed in a minute`);
    return passed;
  });
}

/** Pairing starts are limited by address: 60 in ten minutes. Returns how many passed. */
export async function testPairingStarts(context: LimitsContext): Promise<number> {
  return withClient(context, async (client, api) => {
    const start = (n: number, from: string) =>
      api.call(operations.startPairing, { body: pairingStartBody(`START-${from}-${n}`), from });
    for (let i = 0; i < PAIRING_LIMIT; i++) {
      const one = await start(i, '127.0.0.88');
      assert(one.code === null, `pairing start ${i + 1} was rejected`, one);
    }
    const over = await start(PAIRING_LIMIT, '127.0.0.88');
    assert(
      over.code === 'RATE_LIMITED',
      `pairing start ${PAIRING_LIMIT + 1} of an address passed`,
      over.text,
    );
    assert((await start(0, '127.0.0.89')).code === null, 'another address was refused as well');
    assert(client.statusCounts.get(429) === 1, 'one rejection');
    return PAIRING_LIMIT;
  });
}
