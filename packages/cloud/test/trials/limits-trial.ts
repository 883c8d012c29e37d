import { operations } from '@placard/protocol/api';
import { createApi } from './support/api.ts';
import type { Api } from './support/api.ts';
import { must } from './support/breach.ts';
import type { Chance } from './support/chance.ts';
import { createClient } from './support/client.ts';
import type { Client } from './support/client.ts';
import { pairScreen, startBody } from './support/player.ts';

/** Requests that pass in any 60 seconds, by the contract. */
export const LIMITS = { Read: 100, Write: 30, Admin: 30 } as const;
const DEVICE_LIMIT = 120;
const PAIRING_LIMIT = 60;
const MINUTE_MS = 60_000;
type Scope = keyof typeof LIMITS;

/** A cloud under trial, and how its time passes: told to, or waited for. */
export interface LimitsScene {
  url: string;
  adminKey: string;
  chance: Chance;
  nowMs(): number;
  pass(ms: number): Promise<void>;
  /** How far the clocks at both ends of a connection may be apart. */
  slackMs: number;
}

export interface LimitsReport {
  requests: number;
  refused: number;
  /** `Retry-After` seconds that were promised and kept. */
  kept: number[];
}

interface Hit {
  allowed: boolean;
  retryAfterS: number;
  remaining: number;
}

async function hit(client: Client, key: string): Promise<Hit> {
  const answer = await client.send({ method: 'GET', path: '/v1/organization', key });
  const allowed = answer.code === null;
  must(allowed || answer.code === 'RATE_LIMITED', 'only the limit may refuse here', answer.text);
  const header = (name: string) => {
    const value = answer.headers[name] ?? '';
    must(/^\d+$/.test(value), `${name} must be a whole number`, answer.headers);
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
  return (await api.get(operations.createApiKey, { body: { name: `limit ${scope}`, scope } })).key;
}

/** Runs something with a cloud that is connected, and disconnects. */
async function connected<T>(scene: LimitsScene, run: (client: Client, api: Api) => Promise<T>): Promise<T> {
  const client = createClient({ url: scene.url });
  try {
    return await run(client, createApi({ client, key: () => scene.adminKey }));
  } finally {
    await client.close();
  }
}

/** A burst of twice the limit at the same instant: exactly the limit passes; after `Retry-After` the next one does. */
export async function burst(scene: LimitsScene, scope: Scope): Promise<LimitsReport> {
  return connected(scene, async (client, api) => {
    const key = await makeKey(api, scope);
    const hits = await Promise.all(Array.from({ length: LIMITS[scope] * 2 }, () => hit(client, key)));
    const passed = hits.filter((one) => one.allowed);
    must(passed.length === LIMITS[scope], `${passed.length} of a burst passed for ${scope}`);
    const remaining = passed.map((one) => one.remaining).toSorted((a, b) => a - b);
    must(
      remaining.every((left, index) => left === index),
      'ratelimit-remaining does not count down',
      remaining,
    );
    const last = await hit(client, key);
    must(!last.allowed && last.retryAfterS <= 60, 'the burst was the whole minute', last);
    await scene.pass(last.retryAfterS * 1000);
    must((await hit(client, key)).allowed, `waiting ${last.retryAfterS} s as told did not help`);
    return { requests: hits.length + 2, refused: hits.length - passed.length + 1, kept: [last.retryAfterS] };
  });
}

/** Half of the limit just before a full minute of the clock, the rest just after: the boundary gives nothing away. */
export async function boundary(scene: LimitsScene, scope: Scope): Promise<LimitsReport> {
  return connected(scene, async (client, api) => {
    const key = await makeKey(api, scope);
    const half = LIMITS[scope] / 2;
    const toMinute = MINUTE_MS - (scene.nowMs() % MINUTE_MS);
    await scene.pass(toMinute > 3_000 ? toMinute - 3_000 : toMinute + MINUTE_MS - 3_000);
    for (let i = 0; i < half; i++)
      must((await hit(client, key)).allowed, `request ${i + 1} of ${scope} was refused`);
    await scene.pass(MINUTE_MS - (scene.nowMs() % MINUTE_MS) + 10);
    for (let i = half; i < LIMITS[scope]; i++)
      must((await hit(client, key)).allowed, `request ${i + 1} of ${scope} was refused`);
    const over = await hit(client, key);
    must(!over.allowed, `request ${LIMITS[scope] + 1} of ${scope} passed across the full minute`);
    return { requests: LIMITS[scope] + 1, refused: 1, kept: [] };
  });
}

/** Requests at random instants, beside a list of those that passed: at no time more, at no time fewer. */
export async function sliding(scene: LimitsScene, scope: Scope, requests: number): Promise<LimitsReport> {
  return connected(scene, async (client, api) => {
    const key = await makeKey(api, scope);
    const { chance, slackMs } = scene;
    let passed: number[] = [];
    const report: LimitsReport = { requests: 0, refused: 0, kept: [] };
    for (let i = 0; i < requests; i++) {
      // Mostly bursts; sometimes seconds, seldom much of the window.
      await scene.pass(
        chance.once(LIMITS[scope]) ? chance.int(45_000) : chance.pick([0, 0, 0, 0, 1, 7, 300, 500]),
      );
      const before = scene.nowMs();
      const found = await hit(client, key);
      const after = scene.nowMs();
      passed = passed.filter((at) => at > before - 2 * MINUTE_MS);
      const surely = passed.filter((at) => at > after - MINUTE_MS + slackMs).length;
      const perhaps = passed.filter((at) => at > before - MINUTE_MS - slackMs).length;
      if (found.allowed) {
        must(surely < LIMITS[scope], `${surely + 1} requests of ${scope} passed in one minute`);
        passed.push(after);
      } else {
        must(
          perhaps >= LIMITS[scope],
          `refused with only ${perhaps} requests of ${scope} in the last minute`,
        );
        const oldest = passed.at(-LIMITS[scope]) ?? before;
        const waitS = Math.ceil((oldest + MINUTE_MS - before) / 1000);
        must(
          found.retryAfterS <= waitS + 1,
          `told to wait ${found.retryAfterS} s where ${waitS} s are enough`,
        );
        report.refused++;
        if (chance.once(6)) {
          await scene.pass(found.retryAfterS * 1000);
          must((await hit(client, key)).allowed, `waiting ${found.retryAfterS} s as told did not help`);
          passed.push(scene.nowMs());
          report.kept.push(found.retryAfterS);
        }
      }
      report.requests++;
    }
    return report;
  });
}

/** Each key has its own minute; a device has one of its own that counts for no key. Answers with how many of the device passed. */
export async function apart(scene: LimitsScene): Promise<number> {
  return connected(scene, async (client, api) => {
    const [first, second] = [await makeKey(api, 'Write'), await makeKey(api, 'Write')];
    const screen = await pairScreen(api, `LIMIT-${scene.nowMs()}`, {}, '127.0.0.77');
    for (let i = 0; i < LIMITS.Write; i++) await hit(client, first);
    must(!(await hit(client, first)).allowed, 'the first key is used up');
    must((await hit(client, second)).allowed, 'one key used up the minute of another');
    const answers = await Promise.all(
      Array.from({ length: DEVICE_LIMIT + 10 }, () =>
        client.send({ method: 'GET', path: '/v1/player/manifest', key: screen.token }),
      ),
    );
    const passed = answers.filter((answer) => answer.code === null).length;
    must(passed === DEVICE_LIMIT, `${passed} requests of a device passed in a minute`);
    return passed;
  });
}

/** Pairing starts are limited by address: 60 in ten minutes. Answers with how many passed. */
export async function pairingStarts(scene: LimitsScene): Promise<number> {
  return connected(scene, async (client, api) => {
    const start = (n: number, from: string) =>
      api.call(operations.startPairing, { body: startBody(`START-${from}-${n}`), from });
    for (let i = 0; i < PAIRING_LIMIT; i++) {
      const one = await start(i, '127.0.0.88');
      must(one.code === null, `pairing start ${i + 1} was refused`, one);
    }
    const over = await start(PAIRING_LIMIT, '127.0.0.88');
    must(over.code === 'RATE_LIMITED', `pairing start ${PAIRING_LIMIT + 1} of an address passed`, over.text);
    must((await start(0, '127.0.0.89')).code === null, 'another address was refused as well');
    must(client.statuses.get(429) === 1, 'one refusal');
    return PAIRING_LIMIT;
  });
}
