import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from './support/client.ts';
import { ADMIN_KEY, startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import { pairScreen, startPairing } from './support/screen.ts';
import { openSocket } from './support/socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** Asks without time passing. */
const ask = (secret: string, path = '/v1/devices') =>
  createClient({ url: () => cloud.cloud.url, secret, before: () => {} }).get(path);
const wrong = (n: number) => `plk_${String(n).padStart(43, 'x')}`;
const screenAsks = (token: string) => ask(token, '/v1/player/manifest');
const upgrade = (token: string | null) =>
  openSocket(cloud.cloud.url, token).then(
    (socket) => {
      socket.close();
      return 101;
    },
    (error: unknown) => Number(/\d{3}/.exec(String(error))?.[0]),
  );

/** 300 wrong keys, half of them at the door of the socket. */
async function flood(): Promise<void> {
  cloud.clock.advance(60_000);
  const answers: number[] = [];
  for (let i = 0; i < 150; i++) answers.push(await upgrade(wrong(i)), (await ask(wrong(i))).status);
  expect(new Set(answers)).toEqual(new Set([401]));
}

test('after 300 wrong keys an address learns of no other whether it is right; what was in use there goes on', async () => {
  const [used, unused] = [await cloud.key('Read'), await cloud.key('Read')];
  const screen = await pairScreen(cloud);
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
  // Chosen by a person, so it might be guessed: it is not looked at as often as one likes.
  expect((await ask(ADMIN_KEY)).status).toBe(200);
  for (let i = 0; i < 30; i++) expect((await ask(`guess-${i}`)).status).toBe(429);
  expect((await ask(ADMIN_KEY)).status).toBe(429);

  expect((await ask(used)).status).toBe(200);
  expect((await screenAsks(screen.token)).status).toBe(200);
  expect(await upgrade(screen.token)).toBe(101);
  const token = await createClient({ url: () => cloud.cloud.url, secret: null, before: () => {} }).post(
    `/v1/player/pairing/${waiting.data.pairing_id}/token`,
    { poll_token: waiting.data.poll_token },
  );
  expect((await screenAsks(token.data.device_token)).status, 'a screen that was paired meanwhile').toBe(200);

  cloud.clock.advance(60_000);
  expect((await ask(unused)).status).toBe(200);
});

test('a key that was revoked, and the token of a removed device, are tried once more and then like any other', async () => {
  const used = await cloud.key('Read');
  const screen = await pairScreen(cloud);
  await ask(used);
  await screenAsks(screen.token);
  const { data: keys } = await cloud.admin.get('/v1/api-keys');
  await cloud.admin.delete(`/v1/api-keys/${keys[0].id}`);
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  await flood();
  expect([(await ask(used)).status, (await ask(used)).status]).toEqual([401, 429]);
  const told = await screenAsks(screen.token);
  expect([told.error?.code, (await screenAsks(screen.token)).status]).toEqual(['DEVICE_UNPAIRED', 429]);
  cloud.clock.advance(60_000);
});

test('a device may open its socket 120 times a minute', async () => {
  const screen = await pairScreen(cloud);
  cloud.clock.advance(60_000);
  for (let i = 0; i < 120; i++) expect(await upgrade(screen.token)).toBe(101);
  expect(await upgrade(screen.token)).toBe(429);
  cloud.clock.advance(60_000);
  expect(await upgrade(screen.token)).toBe(101);
});

test('a device that connects writes nothing', async () => {
  const screen = await pairScreen(cloud);
  await screenAsks(screen.token);
  const other = new Sqlite(join(cloud.dataDir, 'cloud.sqlite'));
  try {
    // Nobody else can write now.
    other.exec('begin immediate');
    const socket = await openSocket(cloud.cloud.url, screen.token);
    expect(await socket.next()).toMatchObject({ type: 'welcome' });
    other.exec('rollback');
    socket.close();
  } finally {
    other.close();
  }
});
