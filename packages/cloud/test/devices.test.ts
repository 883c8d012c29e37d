import { DEFAULT_DISPLAY, toWireDisplay } from '@placard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { pinMatchesHash } from './support/menu-pin.ts';
import { pairDevice, buildSample, startPairing, buildReportedState } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const iso = (ms: number) => new Date(ms).toISOString();

test('a paired device has the fields from the operator and from the player', async () => {
  const store = (await cloud.admin.post('/v1/stores', { name: 'S' })).data;
  const session = await cloud.clientFor(null).post('/v1/player/pairing', {
    serial: 'SN-X',
    platform: 'linux-arm64',
    player_version: '1.2.3',
    type: 'pi',
    model: 'Pi 5',
    hardware: { cpu: { model: 'A76', cores: 4 }, memory_total: 8_000_000_000 },
  });
  const paired = await cloud.admin.post('/v1/devices/pair', {
    code: session.data.code,
    name: ' Window ',
    store_id: store.id,
    tags: ['front', 'front'],
    orientation: 'portrait',
  });
  expect(paired.data).toMatchObject({
    id: expect.stringMatching(/^dev_/),
    name: 'Window',
    status: 'offline',
    type: 'pi',
    platform: 'linux-arm64',
    store_id: store.id,
    last_heartbeat: null,
    player_version: '1.2.3',
    tags: ['front'],
    orientation: 'portrait',
    hardware: { model: 'Pi 5', serial: 'SN-X', cpu: { cores: 4 } },
    current_playlist: null,
    latest_heartbeat: null,
    configuration: { orientation: 'portrait', timezone: 'UTC', heartbeat_interval: 60 },
  });
  expect((await cloud.admin.get(`/v1/devices/${paired.data.id}`)).data).toEqual(paired.data);
  const wrongStore = await startPairing(cloud);
  const refused = await cloud.admin.post('/v1/devices/pair', {
    code: wrongStore.data.code,
    store_id: 'store_none',
  });
  expect(refused.error?.code).toBe('STORE_NOT_FOUND');
});

test('devices are listed by status, store, tag, name and version', async () => {
  const store = (await cloud.admin.post('/v1/stores', { name: 'Filter' })).data;
  const one = await pairDevice(cloud, { store_id: store.id, tags: ['filter'] });
  const two = await pairDevice(cloud, { tags: ['filter'] });
  await two.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  const ids = async (query: string) =>
    (await cloud.admin.get(`/v1/devices?${query}`)).data.map((device: { id: string }) => device.id);
  expect(await ids('tag=filter')).toEqual([two.deviceId, one.deviceId]);
  expect(await ids(`store_id=${store.id}`)).toEqual([one.deviceId]);
  expect(await ids('tag=filter&status=online')).toEqual([two.deviceId]);
  expect(await ids('tag=filter&status=offline')).toEqual([one.deviceId]);
  expect(await ids('tag=FILTER')).toEqual([]);
  await cloud.admin.patch(`/v1/devices/${one.deviceId}`, { name: 'Straße 100%' });
  expect(await ids('search=STRASSE')).toEqual([]);
  expect(await ids('search=STRAßE 1')).toEqual([one.deviceId]);
  const { player_version: version } = (await cloud.admin.get(`/v1/devices/${one.deviceId}`)).data;
  expect(await ids(`tag=filter&player_version=${version}`)).toEqual([two.deviceId, one.deviceId]);
  expect(await ids('tag=filter&player_version=9.9.9')).toEqual([]);
  expect((await cloud.admin.get('/v1/devices?status=sleeping')).status).toBe(400);
  expect((await cloud.admin.get(`/v1/stores/${store.id}`)).data.device_count).toBe(1);
});

test('name, store, tags and orientation can be changed, nothing else', async () => {
  const { deviceId } = await pairDevice(cloud);
  const store = (await cloud.admin.post('/v1/stores', { name: 'To' })).data;
  const patch = (body: unknown) => cloud.admin.patch(`/v1/devices/${deviceId}`, body);
  const changed = await patch({
    name: 'N',
    store_id: store.id,
    tags: ['a', 'b'],
    orientation: 'portrait-flipped',
  });
  expect(changed.data).toMatchObject({
    name: 'N',
    store_id: store.id,
    tags: ['a', 'b'],
    orientation: 'portrait-flipped',
  });
  expect((await patch({})).data).toEqual({ ...changed.data, updated_at: expect.any(String) });
  expect((await patch({ status: 'online' })).error?.details).toEqual([
    { path: 'status', message: 'cannot be changed' },
  ]);
  const told = await patch({ tags: [], status: 'online' });
  expect([told.status, told.data.status, told.headers.get('placard-ignored-fields')]).toEqual([
    200,
    'offline',
    'status',
  ]);
  expect((await patch({ state: 'online' })).status).toBe(400);
  expect((await patch({ orientation: 'sideways' })).status).toBe(400);
  expect((await patch({ store_id: 'store_none' })).error?.code).toBe('STORE_NOT_FOUND');
  expect((await cloud.admin.patch('/v1/devices/dev_none', {})).error?.code).toBe('DEVICE_NOT_FOUND');
});

test('display settings can be changed field by field, and are part of the manifest', async () => {
  const screen = await pairDevice(cloud);
  const path = `/v1/devices/${screen.deviceId}`;
  const set = async (configuration: object) => (await cloud.admin.patch(path, { configuration })).data;
  const manifest = async () => (await screen.client.get('/v1/player/manifest')).data;
  const before = await manifest();
  expect(before.device).toMatchObject({ display: toWireDisplay(DEFAULT_DISPLAY), menu_pin_hash: null });
  expect((await cloud.admin.get(path)).data.configuration).toMatchObject({
    ...toWireDisplay(DEFAULT_DISPLAY),
    menu_pin_set: false,
  });

  const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
  await socket.next();
  const first = await set({ fit: 'cover', fade_ms: 400 });
  expect(first.configuration).toMatchObject({
    fit: 'cover',
    background: 'black',
    fade_ms: 400,
    language: 'en',
  });
  const { manifest_revision: revision } = first.configuration;
  expect(revision).not.toBe(before.revision);
  expect(await socket.next()).toEqual({ type: 'manifest_changed', revision });
  const display = { fit: 'cover', background: 'blurred', ground: 'blurred', fade_ms: 400, language: 'ja' };
  expect((await set({ background: 'blurred', language: 'ja' })).configuration).toMatchObject(display);
  expect((await manifest()).device.display).toEqual(display);
  expect((await set(DEFAULT_DISPLAY)).configuration.manifest_revision, 'as it was').toBe(before.revision);
  socket.close();

  for (const wrong of [
    { fit: 'zoom' },
    { background: 'red' },
    { ground: 'red' },
    { fade_ms: 5001 },
    { fade_ms: 0.5 },
    { language: 'xx' },
    { colour: 'red' },
    { menu_pin: '123' },
    { menu_pin: '123456789' },
    { menu_pin: '12a4' },
  ]) {
    expect((await cloud.admin.patch(path, { configuration: wrong })).error?.details).toEqual([
      { path: `configuration.${Object.keys(wrong)[0]}`, message: expect.any(String) },
    ]);
  }
});

test('the orientation is not changed in the configuration, which only shows it', async () => {
  const path = `/v1/devices/${(await pairDevice(cloud)).deviceId}`;
  const changed = await cloud.admin.patch(path, {
    configuration: { orientation: 'portrait', fade_ms: 1 },
  });
  expect(changed.headers.get('placard-ignored-fields')).toBe('configuration.orientation');
  expect([changed.data.orientation, changed.data.configuration.orientation]).toEqual([
    'landscape',
    'landscape',
  ]);
});

test('the background can also be changed under its old name, ground', async () => {
  const screen = await pairDevice(cloud);
  const change = async (configuration: object) => {
    await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { configuration });
    const { background, ground } = (await screen.client.get('/v1/player/manifest')).data.device.display;
    return { background, ground };
  };
  const [black, blurred] = ['black', 'blurred'].map((value) => ({ background: value, ground: value }));
  expect(await change({ ground: 'blurred' })).toEqual(blurred);
  expect(await change({ fade_ms: 1 }), 'unchanged').toEqual(blurred);
  expect(await change({ background: 'black', ground: 'blurred' }), 'ground as it was read').toEqual(black);
  expect(await change({ background: 'black', ground: 'blurred' }), 'background as it was read').toEqual(
    blurred,
  );
});

test('the menu PIN is in the manifest of its device as a salted hash, and nowhere else', async () => {
  const [screen, other] = [await pairDevice(cloud), await pairDevice(cloud)];
  const setPin = (deviceId: string, menu_pin: string | null) =>
    cloud.admin.patch(`/v1/devices/${deviceId}`, { configuration: { menu_pin } });
  const manifest = async (of: typeof screen) => (await of.client.get('/v1/player/manifest')).data;
  const answer = await setPin(screen.deviceId, '0471');
  expect(answer.data.configuration.menu_pin_set).toBe(true);
  await setPin(other.deviceId, '0471');
  const { revision, device } = await manifest(screen);
  expect(pinMatchesHash('0471', device.menu_pin_hash)).toBe(true);
  expect(pinMatchesHash('0472', device.menu_pin_hash)).toBe(false);
  expect((await manifest(other)).device.menu_pin_hash, 'salted').not.toBe(device.menu_pin_hash);
  expect(JSON.stringify(answer.data)).not.toContain('scrypt');

  await setPin(screen.deviceId, '0471');
  expect((await manifest(screen)).revision, 'the same PIN again changes nothing').toBe(revision);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { configuration: { fit: 'cover' } });
  expect((await manifest(screen)).device.menu_pin_hash).toBe(device.menu_pin_hash);
  await setPin(screen.deviceId, '99999999');
  expect(pinMatchesHash('99999999', (await manifest(screen)).device.menu_pin_hash)).toBe(true);
  expect((await setPin(screen.deviceId, null)).data.configuration.menu_pin_set).toBe(false);
  expect((await manifest(screen)).device.menu_pin_hash).toBeNull();
});

test('deleting a store keeps its devices, without a store', async () => {
  const store = (
    await cloud.admin.post('/v1/stores', {
      name: 'Gone soon',
      address: '1 Market Square',
      city: 'Bremen',
      region: 'HB',
      country: 'DE',
      contact: 'Ann',
      timezone: 'Europe/Berlin',
      tags: ['old'],
    })
  ).data;
  expect(store).toMatchObject({ city: 'Bremen', timezone: 'Europe/Berlin', tags: ['old'], device_count: 0 });
  const { deviceId } = await pairDevice(cloud, { store_id: store.id });
  const changed = await cloud.admin.patch(`/v1/stores/${store.id}`, { city: null, tags: [] });
  expect(changed.data).toMatchObject({ city: null, tags: [], region: 'HB', device_count: 1 });
  expect((await cloud.admin.get('/v1/stores?search=gone')).data).toEqual([changed.data]);
  expect((await cloud.admin.delete(`/v1/stores/${store.id}`)).data).toEqual({ id: store.id, deleted: true });
  expect((await cloud.admin.get(`/v1/devices/${deviceId}`)).data.store_id).toBeNull();
  for (const answer of [
    await cloud.admin.get(`/v1/stores/${store.id}`),
    await cloud.admin.patch(`/v1/stores/${store.id}`, {}),
    await cloud.admin.delete(`/v1/stores/${store.id}`),
  ]) {
    expect(answer.error?.code).toBe('STORE_NOT_FOUND');
  }
  expect((await cloud.admin.post('/v1/stores', { name: 'X', timezone: 'Nowhere' })).status).toBe(400);
});

test('a removed device is also removed from schedules and deployments', async () => {
  const { deviceId } = await pairDevice(cloud);
  const target = { type: 'device', id: deviceId };
  const schedule = (await cloud.admin.post('/v1/schedules', { name: 'S', targets: [target] })).data;
  const command = (await cloud.admin.post(`/v1/devices/${deviceId}/commands`, { command: 'REBOOT' })).data;
  await cloud.admin.delete(`/v1/devices/${deviceId}`);
  expect((await cloud.admin.get(`/v1/devices/${deviceId}`)).error?.code).toBe('DEVICE_NOT_FOUND');
  expect((await cloud.admin.delete(`/v1/devices/${deviceId}`)).error?.code).toBe('DEVICE_NOT_FOUND');
  expect((await cloud.admin.get(`/v1/schedules/${schedule.id}`)).data.targets).toEqual([]);
  expect((await cloud.admin.get(`/v1/commands/${command.id}`)).data.status).toBe('failed');
});

test('the samples of a removed device stay available for reports', async () => {
  const screen = await pairDevice(cloud);
  const at = new Date(cloud.clock.nowMs()).toISOString();
  await screen.client.post('/v1/player/heartbeats', {
    samples: [buildSample(at)],
    state: buildReportedState(),
  });
  const readings = () => cloud.admin.get(`/v1/devices/${screen.deviceId}/heartbeats`);
  const before = (await readings()).data;
  expect(before).toHaveLength(1);
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  expect((await readings()).data).toEqual(before);
  const silent = await pairDevice(cloud);
  await cloud.admin.delete(`/v1/devices/${silent.deviceId}`);
  expect((await cloud.admin.get(`/v1/devices/${silent.deviceId}/heartbeats`)).error?.code).toBe(
    'DEVICE_NOT_FOUND',
  );
});

test('commands are checked, listed and filtered', async () => {
  const { deviceId } = await pairDevice(cloud);
  const path = `/v1/devices/${deviceId}/commands`;
  expect((await cloud.admin.post(path, { command: 'EXPLODE' })).status).toBe(400);
  expect((await cloud.admin.post(path, { command: 'REFRESH', expires_in: 0 })).status).toBe(400);
  expect((await cloud.admin.post('/v1/devices/dev_none/commands', { command: 'REFRESH' })).error?.code).toBe(
    'DEVICE_NOT_FOUND',
  );
  const sent = [];
  for (const command of ['REFRESH', 'REBOOT', 'APP_RESTART', 'UPDATE_CHECK']) {
    sent.push((await cloud.admin.post(path, { command })).data);
  }
  expect(Date.parse(sent[0].expires_at) - Date.parse(sent[0].created_at)).toBe(600_000);
  const ids = async (query: string) =>
    (await cloud.admin.get(`/v1/commands?device_id=${deviceId}&${query}`)).data.map(
      (command: { id: string }) => command.id,
    );
  expect(await ids('')).toEqual(sent.map(({ id }) => id).toReversed());
  expect(await ids('command=REBOOT')).toEqual([sent[1].id]);
  expect(await ids('status=succeeded')).toEqual([]);
  expect((await cloud.admin.get('/v1/commands/cmd_none')).error?.code).toBe('COMMAND_NOT_FOUND');
  const otherDevice = await pairDevice(cloud);
  const statusResponse = await otherDevice.client.post(`/v1/player/commands/${sent[0].id}/status`, {
    status: 'succeeded',
  });
  expect(statusResponse.error?.code).toBe('COMMAND_NOT_FOUND');
});

test('samples are averaged by minute, hour and day; late ones count at the time of measurement', async () => {
  const screen = await pairDevice(cloud);
  const base = Date.UTC(2026, 10, 18, 22, 0, 0);
  const send = (samples: object[]) =>
    screen.client.post('/v1/player/heartbeats', { samples, state: buildReportedState() });
  await send([
    buildSample(iso(base), { cpu_percent: 10, temperature_celsius: 40 }),
    buildSample(iso(base + 60_000), { cpu_percent: 30, temperature_celsius: null }),
    buildSample(iso(base + 7_200_000), { cpu_percent: 50 }),
  ]);
  await send([
    buildSample(iso(base), { cpu_percent: 99 }),
    buildSample(iso(base + 30_000), { cpu_percent: 20 }),
  ]);
  const read = async (query: string) =>
    (await cloud.admin.get(`/v1/devices/${screen.deviceId}/heartbeats?${query}`)).data;
  const range = `from=${iso(base)}&to=${iso(base + 10_800_000)}`;
  expect(await read(`${range}&interval=minute`)).toEqual([
    expect.objectContaining({ timestamp: iso(base), samples: 2, cpu_percent: { avg: 15, min: 10, max: 20 } }),
    expect.objectContaining({ timestamp: iso(base + 60_000), samples: 1, temperature_celsius: null }),
    expect.objectContaining({ timestamp: iso(base + 7_200_000), samples: 1 }),
  ]);
  expect(await read(range), 'by hour by default').toEqual([
    expect.objectContaining({
      timestamp: iso(base),
      samples: 3,
      cpu_percent: { avg: 20, min: 10, max: 30 },
      temperature_celsius: { avg: 40, min: 40, max: 40 },
    }),
    expect.objectContaining({ timestamp: iso(base + 7_200_000), samples: 1 }),
  ]);
  expect(await read(`${range}&interval=day`)).toEqual([
    expect.objectContaining({ timestamp: '2026-11-18T00:00:00.000Z', samples: 3 }),
    expect.objectContaining({ timestamp: '2026-11-19T00:00:00.000Z', samples: 1 }),
  ]);
  expect(await read(`from=2026-11-18&to=2026-11-19&interval=day`)).toHaveLength(1);
});

test('more than 10,000 buckets, a reversed range and an invalid date are rejected', async () => {
  const { deviceId } = await pairDevice(cloud);
  const status = async (query: string) =>
    (await cloud.admin.get(`/v1/devices/${deviceId}/heartbeats?${query}`)).status;
  expect(await status('from=2026-11-01T00:00:00Z&to=2026-11-07T22:40:00Z&interval=minute')).toBe(200);
  expect(await status('from=2026-11-01T00:00:00Z&to=2026-11-07T22:41:00Z&interval=minute')).toBe(400);
  expect(await status('from=2026-11-02&to=2026-11-01')).toBe(400);
  expect(await status('from=yesterday')).toBe(400);
  expect(await status('from=2026-13-01')).toBe(400);
  expect(await status('from=2026-02-29')).toBe(400);
  expect(await status('from=2024-02-29&to=2024-03-01')).toBe(200);
  expect(await status('to=2026-06-31T12:00:00Z')).toBe(400);
  expect(await status('to=9999-12-31T23:59:59-01:00')).toBe(400);
  expect(await status('interval=week')).toBe(400);
  expect((await cloud.admin.get('/v1/devices/dev_none/heartbeats')).error?.code).toBe('DEVICE_NOT_FOUND');
});

test('minutes are kept for 7 days, hours for 90 days, days for 2 years', async () => {
  const screen = await pairDevice(cloud);
  const at = cloud.clock.nowMs();
  await screen.client.post('/v1/player/heartbeats', {
    samples: [buildSample(iso(at))],
    state: buildReportedState(),
  });
  const count = async (interval: string) =>
    (
      await cloud.admin.get(
        `/v1/devices/${screen.deviceId}/heartbeats?from=${iso(at - 86_400_000)}&to=${iso(at + 86_400_000)}&interval=${interval}`,
      )
    ).data.length;
  const all = async () => [await count('minute'), await count('hour'), await count('day')];
  const later = async (days: number, kept: number[]) => {
    cloud.clock.advance(at + days * 86_400_000 - cloud.clock.nowMs());
    await eventually(async () => {
      cloud.clock.advance(3_600_000);
      expect(await all()).toEqual(kept);
    });
  };
  expect(await all()).toEqual([1, 1, 1]);
  await later(6, [1, 1, 1]);
  await later(7, [0, 1, 1]);
  await later(89, [0, 1, 1]);
  await later(91, [0, 0, 1]);
  await later(729, [0, 0, 1]);
  await later(733, [0, 0, 0]);
});
