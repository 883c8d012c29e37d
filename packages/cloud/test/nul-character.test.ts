import { afterAll, beforeAll, expect, test } from 'vitest';
import { png } from './support/media.ts';
import { buildReportedState, buildSample } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** Made by string operations: a literal in the source would be invisible. */
const NUL = String.fromCodePoint(0);

test.each([
  ['POST', '/v1/webhooks', { url: `https://example.com/${NUL}`, events: ['device.online'] }, 'url'],
  ['POST', '/v1/stores', { name: 'S', address: `A${NUL}` }, 'address'],
  ['POST', '/v1/stores', { name: `S${NUL}` }, 'name'],
  [
    'POST',
    '/v1/playlists',
    { name: 'P', items: [{ content_id: `a${NUL}`, duration: 1 }] },
    'items.0.content_id',
  ],
  ['POST', '/v1/devices/pair', { code: `BCD-FG${NUL}` }, 'code'],
  ['GET', '/v1/content?search=a%00b', undefined, 'search'],
  ['GET', '/v1/devices?store_id=a%00b', undefined, 'store_id'],
  ['GET', '/v1/devices/dev%00', undefined, 'id'],
  ['DELETE', '/v1/playlists/pl_1/items/item%00', undefined, 'item_id'],
] as const)('%s %s with the character U+0000 is refused by its path', async (method, path, body, field) => {
  const { status, error } = await cloud.admin.call(method, path, body);
  expect(status).toBe(400);
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: field }] });
});

test('a form with the character U+0000 is refused', async () => {
  for (const fields of [{ name: `N${NUL}` }, { tags: `a,b${NUL}` }, { folder_id: `f${NUL}` }]) {
    const { status } = await cloud.admin.upload(await png(1), 'a.png', fields);
    expect(status, Object.keys(fields).join()).toBe(400);
  }
});

test('what a device sends is stored without it, and nothing beside it is lost', async () => {
  const device = {
    serial: `SN-1${NUL}`,
    platform: `linux${NUL}`,
    player_version: '1',
    hostname: `box${NUL}`,
  };
  const { data: session } = await cloud.clientFor(null).post('/v1/player/pairing', device);
  const { data: paired } = await cloud.admin.post('/v1/devices/pair', { code: session.code });
  const { data: credentials } = await cloud
    .clientFor(null)
    .post(`/v1/player/pairing/${session.pairing_id}/token`, { poll_token: session.poll_token });
  const [deviceId, token] = [paired.id, credentials.device_token];
  const client = cloud.clientFor(token);
  const state = buildReportedState({
    player_version: `1.2.3${NUL}`,
    applied_manifest_revision: `r${NUL}`,
    tz_version: `2026a${NUL}`,
  });
  const atMs = cloud.clock.nowMs();
  const sample = buildSample(new Date(atMs).toISOString());
  expect(await client.post('/v1/player/heartbeats', { samples: [sample], state })).toMatchObject({
    status: 200,
  });
  const { data } = await cloud.admin.get(`/v1/devices/${deviceId}`);
  expect(data).toMatchObject({
    name: 'box',
    platform: 'linux',
    player_version: '1.2.3',
    tz_version: '2026a',
    configuration: { applied_manifest_revision: 'r' },
  });
  const play = (n: number, reason: string | null) => ({
    id: `play_000000000${n}`,
    content_id: `asset${reason ?? ''}`,
    playlist_id: null,
    schedule_id: null,
    rule_id: null,
    started_at: new Date(atMs).toISOString(),
    ended_at: new Date(atMs).toISOString(),
    duration_ms: 0,
    outcome: 'interrupted',
    reason,
  });
  const plays = [play(1, null), play(2, NUL), play(3, `x${NUL}`)];
  const reported = await client.post('/v1/player/plays', { plays });
  expect(reported.data).toEqual({ accepted: plays.map(({ id }) => id), rejected: [] });
  const socket = await openPlayerSocket(cloud.cloud.url, token);
  await socket.next();
  socket.send({ type: 'heartbeat', seq: 1, samples: [], state });
  expect(await socket.next()).toMatchObject({ type: 'heartbeat_ack' });
  socket.close();
});
