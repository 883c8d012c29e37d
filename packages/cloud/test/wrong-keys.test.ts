import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineOf } from '../src/database/engine/engine-of.ts';
import { createApiClient } from './support/client.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { pairDevice, startPairing } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** Sends a request without advancing the clock. */
const ask = (secret: string, path = '/v1/devices') =>
  createApiClient({ url: () => cloud.cloud.url, secret, beforeRequest: () => {} }).get(path);
const wrong = (n: number) => `plk_${String(n).padStart(43, 'x')}`;
const screenAsks = (token: string) => ask(token, '/v1/player/manifest');
const upgrade = (token: string | null) =>
  openPlayerSocket(cloud.cloud.url, token).then(
    (socket) => {
      socket.close();
      return 101;
    },
    (error: unknown) => Number(/\d{3}/.exec(String(error))?.[0]),
  );

/** Sends 300 wrong keys, half of them in socket handshakes. */
async function flood(): Promise<void> {
  cloud.clock.advance(60_000);
  const responses: number[] = [];
  for (let i = 0; i < 150; i++) {
    responses.push(await upgrade(wrong(i)), (await ask(wrong(i))).status);
  }
  expect(new Set(responses)).toEqual(new Set([401]));
}

test('after 300 wrong keys an address cannot test more keys; keys already in use there still work', async () => {
  const [used, unused] = [await cloud.createKey('Read'), await cloud.createKey('Read')];
  const screen = await pairDevice(cloud);
  const waiting = await startPairing(cloud);
  const paired = await cloud.admin.post('/v1/devices/pair', { code: waiting.data.code });
  expect(paired.status).toBe(201);
  await ask(used);
  await flood();

  const [right, guess] = [await ask(unused), await ask(wrong(999))];
  expect([right.status, guess.status]).toEqual([429, 429]);
  expect(right.error).toEqual(guess.error);
  expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await upgrade(wrong(999))).toBe(429);
  // Keys chosen by a person can be guessed, so attempts stay limited.
  expect((await ask(ADMIN_KEY)).status).toBe(200);
  for (let i = 0; i < 30; i++) {
    expect((await ask(`guess-${i}`)).status).toBe(429);
  }
  expect((await ask(ADMIN_KEY)).status).toBe(429);

  expect((await ask(used)).status).toBe(200);
  expect((await screenAsks(screen.token)).status).toBe(200);
  expect(await upgrade(screen.token)).toBe(101);
  const token = await createApiClient({
    url: () => cloud.cloud.url,
    secret: null,
    beforeRequest: () => {},
  }).post(`/v1/player/pairing/${waiting.data.pairing_id}/token`, { poll_token: waiting.data.poll_token });
  expect((await screenAsks(token.data.device_token)).status, 'a device that was paired meanwhile').toBe(200);

  cloud.clock.advance(60_000);
  expect((await ask(unused)).status).toBe(200);
});

test('a revoked key and the token of a removed device are looked up once more and then throttled like any other', async () => {
  const used = await cloud.createKey('Read');
  const screen = await pairDevice(cloud);
  await ask(used);
  await screenAsks(screen.token);
  const { data: keys } = await cloud.admin.get('/v1/api-keys');
  await cloud.admin.delete(`/v1/api-keys/${keys[0].id}`);
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  await flood();
  expect([(await ask(used)).status, (await ask(used)).status]).toEqual([401, 429]);
  const deviceResponse = await screenAsks(screen.token);
  expect([deviceResponse.error?.code, (await screenAsks(screen.token)).status]).toEqual([
    'DEVICE_UNPAIRED',
    429,
  ]);
  cloud.clock.advance(60_000);
});

test('a device may open its socket 120 times a minute', async () => {
  const screen = await pairDevice(cloud);
  cloud.clock.advance(60_000);
  for (let i = 0; i < 120; i++) {
    expect(await upgrade(screen.token)).toBe(101);
  }
  expect(await upgrade(screen.token)).toBe(429);
  cloud.clock.advance(60_000);
  expect(await upgrade(screen.token)).toBe(101);
});

test('a connecting device does not write to the database', async () => {
  const screen = await pairDevice(cloud);
  await screenAsks(screen.token);
  await cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      // On SQLite the transaction itself keeps others from writing.
      if (engineOf(trx).name === 'postgres') {
        await sql`lock table device_live, devices, commands, online_spans in share mode`.execute(trx);
      }
      const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
      expect(await socket.next()).toMatchObject({ type: 'welcome' });
      socket.close();
    }),
  );
});
