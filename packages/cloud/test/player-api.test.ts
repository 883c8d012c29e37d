import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from './support/client.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';
import { pairDevice, buildPlay, buildSample, buildReportedState } from './support/paired-device.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const iso = (ms: number) => new Date(ms).toISOString();
const upload = async (shade: number) => (await cloud.admin.upload(await png(shade), `${shade}.png`)).data;
const playlistOf = async (...contentIds: string[]) =>
  (
    await cloud.admin.post('/v1/playlists', {
      name: 'P',
      mode: 'sequential',
      items: contentIds.map((content_id) => ({ content_id })),
    })
  ).data;

test('deploying changes only the manifests of the targeted devices', async () => {
  const reached = await pairDevice(cloud, { tags: ['lobby'] });
  const other = await pairDevice(cloud);
  const asset = await upload(11);
  const playlist = await playlistOf(asset.id);
  const before = await reached.client.get('/v1/player/manifest');
  const untouched = await other.client.get('/v1/player/manifest');

  const deployed = await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, {
    targets: [{ type: 'tag', value: 'lobby' }],
  });
  expect(deployed.status).toBe(202);
  const after = await reached.client.get('/v1/player/manifest');
  expect(after.data.revision).not.toBe(before.data.revision);
  expect(deployed.data).toMatchObject({
    device_count: 1,
    manifest_revisions: { [reached.deviceId]: after.data.revision },
    warnings: [],
  });
  expect(after.data.base_playlist_id).toBe(playlist.id);
  expect(after.data.assets).toEqual([
    expect.objectContaining({ id: asset.id, sha256: asset.sha256, url: asset.url, duration: null }),
  ]);
  expect((await other.client.get('/v1/player/manifest')).data).toEqual(untouched.data);
  const again = await reached.client.get('/v1/player/manifest', {
    'if-none-match': `"${after.data.revision}"`,
  });
  expect(again.status).toBe(304);
});

test('the revision is the same again when the content is', async () => {
  const screen = await pairDevice(cloud);
  const revision = async () => (await screen.client.get('/v1/player/manifest')).data.revision;
  const first = await revision();
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { orientation: 'portrait' });
  expect(await revision()).not.toBe(first);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { orientation: 'landscape' });
  expect(await revision()).toBe(first);
});

test('a heartbeat marks the device online and stores each sample once', async () => {
  const screen = await pairDevice(cloud);
  const at = new Date(cloud.clock.nowMs()).toISOString();
  const asset = await upload(12);
  const playlist = await playlistOf(asset.id);
  const current = {
    playlist_id: playlist.id,
    item_id: playlist.items[0].id,
    content_id: asset.id,
    since: at,
  };
  const send = () =>
    screen.client.post('/v1/player/heartbeats', {
      samples: [buildSample(at, { cpu_percent: 40 })],
      state: buildReportedState({
        current,
        applied_manifest_revision: 'r',
        frames: { drawn: 1_500, dropped: 2 },
      }),
    });
  const detail = async () => (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data;
  // An older player does not report frames.
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  expect(await detail()).toMatchObject({ frames: null });
  const answer = await send();
  await send();
  expect(answer.data).toMatchObject({ next_heartbeat_in: 60, commands: [] });
  expect(await detail()).toMatchObject({
    status: 'online',
    current_playlist: { id: playlist.id, name: 'P', since: at },
    frames: { drawn: 1_500, dropped: 2 },
    latest_heartbeat: { cpu_percent: 40, temperature_celsius: null },
    configuration: { applied_manifest_revision: 'r', manifest_revision: answer.data.manifest_revision },
  });
  const buckets = await cloud.admin.get(`/v1/devices/${screen.deviceId}/heartbeats?interval=minute`);
  expect(buckets.data).toEqual([
    {
      timestamp: `${at.slice(0, 16)}:00.000Z`,
      samples: 1,
      cpu_percent: { avg: 40, min: 40, max: 40 },
      memory_percent: { avg: 20, min: 20, max: 20 },
      disk_percent: { avg: 30, min: 30, max: 30 },
      temperature_celsius: null,
      wifi_signal_dbm: { avg: -50, min: -50, max: -50 },
    },
  ]);
});

test('a device is offline after three missed heartbeats', async () => {
  const screen = await pairDevice(cloud);
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  const status = async () => (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.status;
  expect(await status()).toBe('online');
  cloud.clock.advance(170_000);
  expect(await status()).toBe('online');
  cloud.clock.advance(20_000);
  await eventually(async () => {
    cloud.clock.advance(5000);
    expect(await status()).toBe('offline');
  });
});

test('one invalid play is reported and does not reject the others', async () => {
  const screen = await pairDevice(cloud);
  const play = {
    id: 'play_0123456789abcdef',
    content_id: 'asset_x',
    playlist_id: null,
    schedule_id: null,
    rule_id: null,
    started_at: '2026-11-20T11:00:00.000Z',
    ended_at: '2026-11-20T11:00:10.000Z',
    duration_ms: 10_000,
    outcome: 'completed',
    reason: null,
  };
  const answer = await screen.client.post('/v1/player/plays', {
    plays: [play, { ...play, id: 'nonsense' }, 7, { ...play, id: 'play_fedcba9876543210', ended_at: 'soon' }],
  });
  expect(answer.data.accepted).toEqual([play.id]);
  expect(answer.data.rejected).toEqual([
    expect.objectContaining({ index: 1, id: 'nonsense' }),
    expect.objectContaining({ index: 2, id: null }),
    expect.objectContaining({ index: 3, id: 'play_fedcba9876543210' }),
  ]);
  expect((await screen.client.post('/v1/player/plays', { plays: [play] })).data.accepted).toEqual([play.id]);
});

test('plays with an implausible clock are rejected and do not distort totals', async () => {
  const screen = await pairDevice(cloud);
  const nowMs = cloud.clock.nowMs();
  const { data } = await screen.client.post('/v1/player/plays', {
    plays: [
      buildPlay(0, nowMs - 20_000, 10_000),
      buildPlay(1, Date.UTC(9999, 0, 1), 1000),
      buildPlay(2, nowMs + 90_000_000, 1000),
      buildPlay(3, Date.UTC(1999, 0, 1), 1000),
      buildPlay(4, nowMs - 1000, 1000, Date.UTC(9999, 0, 1)),
      buildPlay(5, nowMs - 20_000, 1e15, nowMs),
      buildPlay(6, nowMs - 20_000, 3 * 86_400_000, nowMs),
      buildPlay(7, nowMs, 0, nowMs - 1000),
    ],
  });
  expect(data.accepted).toEqual(['play_clock00000000']);
  const reasons = data.rejected.map(({ index, message }: { index: number; message: string }) => [
    index,
    message.split(':')[0],
  ]);
  expect(reasons).toEqual([
    [1, 'started_at'],
    [2, 'started_at'],
    [3, 'started_at'],
    [4, 'ended_at'],
    [5, 'duration_ms'],
    [6, 'duration_ms'],
    [7, 'ended_at'],
  ]);
  const plays = await cloud.admin.get(
    '/v1/analytics/plays?content_id=asset_clock&from=1970-01-01&to=9999-12-31',
  );
  expect(plays.data).toMatchObject([{ plays: 1, play_seconds: 10 }]);
});

test('a sample with an impossible time is not the latest one, but its clock offset is shown', async () => {
  const screen = await pairDevice(cloud);
  const send = (...samples: unknown[]) =>
    screen.client.post('/v1/player/heartbeats', { samples, state: buildReportedState() });
  const device = async () => (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data;
  const at = new Date(cloud.clock.nowMs()).toISOString();
  await send(
    buildSample(at),
    buildSample('9999-12-31T23:59:59.999Z'),
    buildSample('0000-01-01T00:00:00.000Z'),
  );
  expect((await device()).latest_heartbeat.measured_at).toBe(at);
  expect(Math.abs((await device()).clock_offset_ms)).toBeLessThan(60_000);
  await send(buildSample('1970-01-01T00:00:10.000Z'));
  expect((await device()).latest_heartbeat.measured_at).toBe(at);
  expect((await device()).clock_offset_ms).toBeLessThan(-50 * 365 * 86_400_000);
});

test('free-form facts of a device are kept up to 4 KiB, its report in any case', async () => {
  const screen = await pairDevice(cloud);
  const at = new Date(cloud.clock.nowMs()).toISOString();
  const report = async (result: Record<string, unknown>) => {
    const { data } = await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, {
      command: 'REFRESH',
    });
    await screen.client.post(`/v1/player/commands/${data.id}/status`, { status: 'failed', result });
    return (await cloud.admin.get(`/v1/commands/${data.id}`)).data;
  };
  const short = { text: 'x'.repeat(4000) };
  const omitted = { omitted: expect.stringContaining('at most 4096 are kept') };
  expect(await report(short)).toMatchObject({ status: 'failed', result: short });
  expect(await report({ text: 'ü'.repeat(2100) })).toMatchObject({ status: 'failed', result: omitted });

  const faults = [
    { code: 'disk.full', since: at, facts: short },
    { code: 'cloud.tls', since: at, facts: { text: 'x'.repeat(100_000) } },
  ];
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState({ faults }) });
  expect((await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.faults).toEqual([
    faults[0],
    { ...faults[1], facts: omitted },
  ]);
});

test('a removed device gets DEVICE_UNPAIRED, even much later; an unknown token does not', async () => {
  const screen = await pairDevice(cloud);
  expect((await cloud.admin.delete(`/v1/devices/${screen.deviceId}`)).data).toEqual({
    id: screen.deviceId,
    deleted: true,
  });
  cloud.clock.advance(400 * 86_400_000);
  expect((await screen.client.get('/v1/player/manifest')).error?.code).toBe('DEVICE_UNPAIRED');
  expect((await cloud.clientFor('pld_never-given').get('/v1/player/manifest')).error?.code).toBe(
    'UNAUTHORIZED',
  );
  expect((await cloud.clientFor(null).get('/v1/player/manifest')).error?.code).toBe('UNAUTHORIZED');
});

test('a device may make 120 requests a minute, and they do not count for API keys', async () => {
  const screen = await pairDevice(cloud);
  const still = createApiClient({
    url: () => cloud.cloud.url,
    secret: screen.token,
    beforeRequest: () => {},
  });
  cloud.clock.advance(60_000);
  for (let i = 0; i < 120; i++) {
    expect((await still.get('/v1/player/manifest')).status).toBe(200);
  }
  const over = await still.get('/v1/player/manifest');
  expect([over.error?.code, over.headers.get('ratelimit-limit')]).toEqual(['RATE_LIMITED', '120']);
  cloud.clock.advance(60_000);
  expect((await still.get('/v1/player/manifest')).status).toBe(200);
});

test('plays over the daily quota are rejected one by one, the others are accepted, and webhooks are notified', async () => {
  const cloud = await startTestCloud({ playQuota: { shownPerDay: 3, receivedPerDay: 6 } });
  try {
    const screen = await pairDevice(cloud);
    const webhook = await cloud.admin.post('/v1/webhooks', {
      url: 'https://ops.example/',
      events: ['device.alert'],
    });
    const nowMs = cloud.clock.nowMs();
    const send = (...plays: unknown[]) => screen.client.post('/v1/player/plays', { plays });
    const today = [0, 1, 2, 3].map((id) => buildPlay(id, nowMs - 60_000, 1000));
    const { data } = await send(...today);
    expect(data.accepted).toHaveLength(3);
    expect(data.rejected).toEqual([
      { index: 3, id: today[3]?.id, message: expect.stringContaining('already has 3 plays on 2026-11-20') },
    ]);
    expect((await send(today[0])).data.accepted, 'sent again').toHaveLength(1);
    const alerts = (await cloud.admin.get(`/v1/webhooks/${webhook.data.id}/deliveries`)).data;
    expect(alerts).toHaveLength(1);

    const yesterday = [4, 5, 6].map((id) => buildPlay(id, nowMs - 86_400_000, 1000));
    expect((await send(...yesterday)).data.accepted).toHaveLength(3);
    const late = buildPlay(7, nowMs - 2 * 86_400_000, 1000);
    const refused = await send(late);
    expect(refused.error).toMatchObject({
      code: 'RATE_LIMITED',
      details: { reason: 'plays_quota', limit: 6 },
    });
    cloud.clock.advance(Number(refused.headers.get('retry-after')) * 1000);
    expect((await send(late)).data.accepted, 'nothing is lost').toHaveLength(1);
  } finally {
    await cloud.close();
  }
});

test('every text of a device has a maximum length', async () => {
  const screen = await pairDevice(cloud);
  const long = 'x'.repeat(900_000);
  const beat = (more: Record<string, unknown>) =>
    screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState(more) });
  const at = iso(cloud.clock.nowMs());
  const current = { playlist_id: 'p', item_id: 'i', content_id: 'c', since: at };
  for (const more of [
    { applied_manifest_revision: long },
    { current: { ...current, item_id: long } },
    { current: { ...current, since: `${at.slice(0, -1)}${'0'.repeat(900_000)}Z` } },
    { faults: [{ code: long, since: at }] },
  ]) {
    expect((await beat(more)).status).toBe(400);
  }

  const faults = Array.from({ length: 100 }, (_, n) => ({
    code: `code.${n}`,
    since: at,
    facts: { text: 'x'.repeat(4000) },
  }));
  await beat({ faults });
  const kept = (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.faults;
  expect(kept).toHaveLength(100);
  expect(JSON.stringify(kept).length).toBeLessThan(32_000);
});
