import { manifest as manifestSchema } from '@placard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createApiClient } from './support/client.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { startPairing } from './support/paired-device.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

test('a player pairs, and its token gives access to the manifest', async () => {
  const start = await startPairing(cloud, 'SN-A');
  expect(start.data.code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{3}-[BCDFGHJKLMNPQRSTVWXZ]{3}$/);
  expect(start.data.verification_url_complete).toBe(`${cloud.cloud.url}/pair?code=${start.data.code}`);
  const poll = () =>
    cloud.clientFor(null).post(`/v1/player/pairing/${start.data.pairing_id}/token`, {
      poll_token: start.data.poll_token,
    });
  expect((await poll()).status).toBe(202);

  const paired = await cloud.admin.post('/v1/devices/pair', { code: start.data.code, name: 'Counter' });
  expect(paired.status).toBe(201);
  const first = await poll();
  expect(first.data.device_id).toBe(paired.data.id);
  expect((await poll()).data, 'a lost response can be fetched again').toEqual(first.data);

  const api = cloud.clientFor(first.data.device_token);
  const got = await api.get('/v1/player/manifest');
  expect(manifestSchema.parse(got.data)).toMatchObject({
    revision: paired.data.configuration.manifest_revision,
    device: { id: paired.data.id, name: 'Counter', orientation: 'landscape' },
    base_playlist_id: null,
    schedules: [],
  });
  expect((await poll()).error?.code, 'the session ends when the token is used').toBe('PAIRING_EXPIRED');
});

test('the same player gets the same active session again, and a code works once', async () => {
  const first = await startPairing(cloud, 'SN-B');
  const again = await startPairing(cloud, 'SN-B');
  expect(again.data).toEqual(first.data);
  await cloud.admin.post('/v1/devices/pair', { code: first.data.code.toLowerCase().replace('-', ' ') });
  const second = await cloud.admin.post('/v1/devices/pair', { code: first.data.code });
  expect(second.error).toMatchObject({ code: 'PAIRING_CODE_NOT_FOUND', details: { reason: 'used' } });
});

test('another client with the same serial gets its own session', async () => {
  const proxied = await startTestCloud({ trustProxies: ['127.0.0.1'] });
  const start = (address: string) =>
    proxied
      .clientFor(null)
      .post(
        '/v1/player/pairing',
        { serial: 'SN-S', platform: 'linux', player_version: '1' },
        { 'x-forwarded-for': address },
      );
  try {
    const [screen, stranger] = [await start('192.0.2.1'), await start('192.0.2.2')];
    expect(stranger.data.code).not.toBe(screen.data.code);
    expect(stranger.data.poll_token).not.toBe(screen.data.poll_token);
    expect((await start('192.0.2.1')).data).toEqual(screen.data);
  } finally {
    await proxied.close();
  }
});

test('a code expires after 15 minutes, and the player gets a new one', async () => {
  const first = await startPairing(cloud, 'SN-C');
  cloud.clock.advance(15 * 60_000);
  const poll = await cloud.clientFor(null).post(`/v1/player/pairing/${first.data.pairing_id}/token`, {
    poll_token: first.data.poll_token,
  });
  expect(poll.status).toBe(410);
  // The others of several nodes learn a moment later that it was deleted.
  await eventually(async () => {
    const late = await cloud.admin.post('/v1/devices/pair', { code: first.data.code });
    expect(late.error).toMatchObject({ code: 'PAIRING_CODE_NOT_FOUND', details: { reason: 'expired' } });
  });
  expect((await startPairing(cloud, 'SN-C')).data.code).not.toBe(first.data.code);
});

test('in its last minute a code has a successor, and both are valid until the first expires', async () => {
  const first = await startPairing(cloud, 'SN-R');
  cloud.clock.advance(13.5 * 60_000);
  expect((await startPairing(cloud, 'SN-R')).data).toEqual(first.data);
  cloud.clock.advance(45_000);
  const second = await startPairing(cloud, 'SN-R');
  expect(second.data.code).not.toBe(first.data.code);
  expect((await startPairing(cloud, 'SN-R')).data, 'there is only one successor').toEqual(second.data);

  const poll = ({ data }: typeof first) =>
    cloud
      .clientFor(null)
      .post(`/v1/player/pairing/${data.pairing_id}/token`, { poll_token: data.poll_token });
  expect([(await poll(first)).status, (await poll(second)).status]).toEqual([202, 202]);
  const typed = await cloud.admin.post('/v1/devices/pair', { code: first.data.code });
  expect(typed.status).toBe(201);
  expect((await poll(first)).data.device_id).toBe(typed.data.id);
});

test('a player that polls too fast gets slow_down, a client without the poll token gets no information', async () => {
  const { data } = await startPairing(cloud, 'SN-D');
  const path = `/v1/player/pairing/${data.pairing_id}/token`;
  const rude = createApiClient({ url: () => cloud.cloud.url, secret: null, beforeRequest: () => {} });
  const poll = () => rude.post(path, { poll_token: data.poll_token });
  let fast = await poll();
  for (let polls = 1; fast.status === 202 && polls < 10; polls++) {
    fast = await poll();
  }
  expect(fast.status).toBe(429);
  expect(Number(fast.headers.get('retry-after'))).toBeGreaterThan(data.interval);
  expect((await rude.post(path, { poll_token: 'guess' })).status).toBe(404);
  cloud.clock.advance(Number(fast.headers.get('retry-after')) * 1000);
  expect((await poll()).status, 'it waited for the interval').toBe(202);
});

test('a player that polls every two seconds never gets slow_down, despite network delays', async () => {
  const { data } = await startPairing(cloud, 'SN-P');
  expect(data.interval).toBe(2);
  const screen = createApiClient({ url: () => cloud.cloud.url, secret: null, beforeRequest: () => {} });
  const path = `/v1/player/pairing/${data.pairing_id}/token`;
  const delaysMs = [0, 3000, 0, 4900, 4900, 100, 0, 2500, 0, 0, 5000, 0];
  const startMs = cloud.clock.nowMs();
  const arrivals = delaysMs.map((delayMs, poll) => startMs + poll * 2000 + delayMs).toSorted((a, b) => a - b);
  for (const atMs of arrivals) {
    cloud.clock.advance(atMs - cloud.clock.nowMs());
    expect((await screen.post(path, { poll_token: data.poll_token })).status).toBe(202);
  }
});

test('five wrong codes lock pairing for that key for 15 minutes, even across a restart', async () => {
  const key = cloud.clientFor(await cloud.createKey('Write'));
  for (let i = 0; i < 5; i++) {
    expect((await key.post('/v1/devices/pair', { code: 'BBB-BBB' })).error).toMatchObject({
      code: 'PAIRING_CODE_NOT_FOUND',
      details: { reason: 'wrong' },
    });
  }
  const { data } = await startPairing(cloud, 'SN-E');
  const locked = await key.post('/v1/devices/pair', { code: data.code });
  expect(locked.error).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'pairing_locked' } });
  await cloud.restart();
  cloud.clock.advance(14 * 60_000);
  expect((await key.post('/v1/devices/pair', { code: 'BBB-BBB' })).status).toBe(429);
  cloud.clock.advance(60_000);
  expect(
    (await key.post('/v1/devices/pair', { code: (await startPairing(cloud, 'SN-F')).data.code })).status,
  ).toBe(201);
});

test('concurrent wrong codes are counted one by one', async () => {
  const key = await cloud.createKey('Write');
  const guesses = Array.from({ length: 15 }, () =>
    cloud.clientFor(key).post('/v1/devices/pair', { code: 'BBB-BBB' }),
  );
  const reasons = (await Promise.all(guesses)).map(({ error }) => error?.details?.reason);
  expect(reasons.filter((reason) => reason === 'wrong')).toHaveLength(5);
  expect(reasons.filter((reason) => reason === 'pairing_locked')).toHaveLength(10);
});

test('a player whose device was removed before it fetched its token gets a new session at once', async () => {
  const first = await startPairing(cloud, 'SN-LATE');
  const paired = await cloud.admin.post('/v1/devices/pair', { code: first.data.code });
  await cloud.admin.delete(`/v1/devices/${paired.data.id}`);
  const again = await startPairing(cloud, 'SN-LATE');
  expect(again.data.code).not.toBe(first.data.code);
  const poll = await cloud.clientFor(null).post(`/v1/player/pairing/${first.data.pairing_id}/token`, {
    poll_token: first.data.poll_token,
  });
  expect(poll.status).toBe(410);
});
