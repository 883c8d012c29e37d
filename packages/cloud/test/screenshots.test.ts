import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { buildJpeg } from './support/jpeg.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** The smallest that begins and ends like a JPEG image, with something in between. */
const requestFor = async ({ deviceId }: Pick<PairedDevice, 'deviceId'>) =>
  (await cloud.admin.post(`/v1/devices/${deviceId}/screenshot`)).data;

const upload = ({ client }: PairedDevice, commandId: string | undefined, image: Buffer, more = {}) =>
  client.post('/v1/player/screenshots', {
    command_id: commandId,
    taken_at: new Date(cloud.clock.nowMs()).toISOString(),
    current: null,
    image: image.toString('base64'),
    ...more,
  });

const stateOf = async ({ deviceId }: PairedDevice) =>
  (await cloud.admin.get(`/v1/devices/${deviceId}/screenshot`)).data;

const imageOf = async ({ deviceId }: PairedDevice) => {
  const response = await cloud.admin.raw(`/v1/devices/${deviceId}/screenshot/image`);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: await response.bytes(),
  };
};

test('a device that is asked over its socket sends a picture, with what it believes to show', async () => {
  const device = await pairDevice(cloud);
  const playlist = (
    await cloud.admin.post('/v1/playlists', { name: 'Breakfast', mode: 'sequential', items: [] })
  ).data;
  expect(await stateOf(device)).toEqual({
    screenshot: null,
    fault_screenshots: [],
    request: null,
    forbidden_by: null,
  });
  expect((await imageOf(device)).status).toBe(404);

  const socket = await openPlayerSocket(cloud.cloud.url, device.token);
  expect(await socket.next()).toMatchObject({ type: 'welcome' });
  const request = await requestFor(device);
  expect(request).toMatchObject({ device_id: device.deviceId, status: 'queued', problem: null });
  expect(await socket.next()).toMatchObject({
    type: 'command',
    command: { id: request.id, command: 'SCREENSHOT' },
  });
  // While it has not answered, nobody asks again.
  expect((await requestFor(device)).id).toBe(request.id);

  const since = new Date(cloud.clock.nowMs()).toISOString();
  const current = { playlist_id: playlist.id, item_id: 'item_1', content_id: 'asset_gone', since };
  expect((await upload(device, request.id, buildJpeg('first'), { current })).status).toBe(200);
  const { screenshot, request: finished } = await stateOf(device);
  expect(finished).toMatchObject({ id: request.id, status: 'succeeded' });
  expect(screenshot).toMatchObject({
    device_id: device.deviceId,
    size: buildJpeg('first').length,
    reason: 'requested',
    current: {
      playlist_id: playlist.id,
      playlist_name: 'Breakfast',
      content_id: 'asset_gone',
      content_name: null,
      since,
    },
  });
  const image = await cloud.admin.raw(screenshot.image_url);
  expect(image.headers.get('content-type')).toBe('image/jpeg');
  expect(image.headers.get('x-content-type-options')).toBe('nosniff');
  expect(image.headers.get('cache-control')).toBe('private, max-age=3600');
  expect(Buffer.from(await image.bytes())).toEqual(buildJpeg('first'));

  const events = await cloud.admin.get('/v1/events?types=device.screenshot,command.*&limit=100');
  expect(events.data.filter((event: { resource: string }) => event.resource === device.deviceId)).toEqual([
    expect.objectContaining({
      type: 'device.screenshot',
      data: { screenshot: expect.objectContaining({ device_id: device.deviceId, size: screenshot.size }) },
    }),
  ]);
  // It is none of the commands of customers.
  expect((await cloud.admin.get(`/v1/commands?device_id=${device.deviceId}`)).data).toEqual([]);
  expect((await cloud.admin.get(`/v1/commands/${request.id}`)).status).toBe(404);

  // A new request replaces the picture.
  const second = await requestFor(device);
  expect(second.id).not.toBe(request.id);
  await upload(device, second.id, buildJpeg('second'));
  expect((await stateOf(device)).screenshot).toMatchObject({
    size: buildJpeg('second').length,
    current: null,
  });
  expect(Buffer.from((await imageOf(device)).bytes)).toEqual(buildJpeg('second'));
  socket.close();
});

test('where the device or the organization forbids it no picture is taken, and the one that there is goes', async () => {
  const device = await pairDevice(cloud);
  const manifest = async () => (await device.client.get('/v1/player/manifest')).data;
  const before = await manifest();
  const forbidFor = {
    device: (isAllowed: boolean) =>
      cloud.admin.patch(`/v1/devices/${device.deviceId}`, {
        configuration: { screenshots_allowed: isAllowed },
      }),
    organization: (isAllowed: boolean) =>
      cloud.admin.patch('/v1/organization', { screenshots_allowed: isAllowed }),
  };
  for (const by of ['device', 'organization'] as const) {
    await upload(device, (await requestFor(device)).id, buildJpeg('taken before'));
    const open = await requestFor(device);
    await forbidFor[by](false);
    expect(await stateOf(device)).toMatchObject({ screenshot: null, forbidden_by: by });
    expect((await imageOf(device)).status).toBe(404);
    expect(await cloud.admin.post(`/v1/devices/${device.deviceId}/screenshot`)).toMatchObject({
      status: 409,
      error: { code: 'SCREENSHOTS_FORBIDDEN', details: { by } },
    });
    expect(await upload(device, open.id, buildJpeg('too late'))).toMatchObject({
      status: 404,
      error: { code: 'COMMAND_NOT_FOUND' },
    });
    // The player is told, and says it on its idle screen.
    const told = await manifest();
    expect(told[by].screenshots_allowed).toBe(false);
    expect(told.revision).not.toBe(before.revision);
    await forbidFor[by](true);
    expect(await manifest()).toEqual(before);
    expect(await stateOf(device)).toMatchObject({ screenshot: null, forbidden_by: null });
    await upload(device, open.id, buildJpeg('allowed again'));
  }
  const { data: settings } = await cloud.admin.get('/v1/organization');
  expect(settings.screenshots_allowed).toBe(true);
  const { data: shown } = await cloud.admin.get(`/v1/devices/${device.deviceId}`);
  expect(shown.configuration.screenshots_allowed).toBe(true);
});

test('where the settings want a picture every so many minutes the device sends one by itself, and no more', async () => {
  const [device, other] = [await pairDevice(cloud), await pairDevice(cloud)];
  const manifest = async () => (await device.client.get('/v1/player/manifest')).data;
  const setFor = {
    device: (minutes: number | null) =>
      cloud.admin.patch(`/v1/devices/${device.deviceId}`, {
        configuration: { screenshot_interval_minutes: minutes },
      }),
    organization: (minutes: number | null) =>
      cloud.admin.patch('/v1/organization', { screenshot_interval_minutes: minutes }),
  };
  const before = await manifest();
  const send = (text: string) => upload(device, undefined, buildJpeg(text));
  expect((await send('not wanted')).error?.code).toBe('COMMAND_NOT_FOUND');
  expect((await setFor.organization(4)).status).toBe(400);
  expect((await setFor.device(1_441)).status).toBe(400);
  expect((await setFor.organization(0)).status).toBe(400);

  expect((await setFor.organization(60)).data.screenshot_interval_minutes).toBe(60);
  expect((await manifest()).organization.screenshot_interval_minutes).toBe(60);
  expect((await send('by itself')).status).toBe(200);
  expect((await stateOf(device)).screenshot).toMatchObject({
    reason: 'interval',
    size: buildJpeg('by itself').length,
  });
  expect((await send('at once again')).error?.code).toBe('COMMAND_NOT_FOUND');
  cloud.clock.advance(31 * 60_000);
  expect((await send('later')).status).toBe(200);
  expect(Buffer.from((await imageOf(device)).bytes)).toEqual(buildJpeg('later'));
  const events = await cloud.admin.get('/v1/events?types=device.screenshot&limit=100');
  expect(events.data.filter((event: { resource: string }) => event.resource === device.deviceId)).toEqual([]);

  // The device has its own setting.
  cloud.clock.advance(31 * 60_000);
  expect((await setFor.device(0)).data.configuration.screenshot_interval_minutes).toBe(0);
  expect((await manifest()).device.screenshot_interval_minutes).toBe(0);
  expect((await send('never')).error?.code).toBe('COMMAND_NOT_FOUND');
  expect((await upload(other, undefined, buildJpeg('another'))).status).toBe(200);
  await setFor.device(5);
  expect((await send('often')).status).toBe(200);
  const request = await requestFor(device);
  await upload(device, request.id, buildJpeg('requested'));
  expect((await stateOf(device)).screenshot.reason).toBe('requested');
  cloud.clock.advance(5 * 60_000);
  await cloud.admin.patch('/v1/organization', { screenshots_allowed: false });
  expect((await send('forbidden')).error?.code).toBe('COMMAND_NOT_FOUND');
  await cloud.admin.patch('/v1/organization', { screenshots_allowed: true });
  await setFor.device(null);
  await setFor.organization(null);
  expect(await manifest()).toEqual(before);
  const [entry] = (await cloud.admin.get('/v1/audit-log?resource_id=org&limit=1')).data;
  expect(entry.changes).toEqual([
    expect.objectContaining({ field: 'screenshot_interval_minutes', before: 60, after: null }),
  ]);
});

test('with each fault a device sends a picture, which is kept apart from the newest one', async () => {
  const device = await pairDevice(cloud);
  const send = (code: string, text = code) => {
    cloud.clock.advance(30_000);
    return upload(device, undefined, buildJpeg(text), { fault_code: code });
  };
  await upload(device, (await requestFor(device)).id, buildJpeg('requested'));
  expect((await send('disk.full')).status).toBe(200);
  expect((await upload(device, undefined, buildJpeg('too soon'), { fault_code: 'x' })).error?.code).toBe(
    'COMMAND_NOT_FOUND',
  );
  expect((await send('stage.lost')).status).toBe(200);
  const { screenshot, fault_screenshots: ofFaults } = await stateOf(device);
  expect(screenshot).toMatchObject({ reason: 'requested', fault_code: null });
  expect(ofFaults).toMatchObject([
    { reason: 'fault', fault_code: 'stage.lost', device_id: device.deviceId },
    { reason: 'fault', fault_code: 'disk.full' },
  ]);
  const bytesAt = async (path: string) => Buffer.from(await (await cloud.admin.raw(path)).bytes());
  expect(await bytesAt(screenshot.image_url)).toEqual(buildJpeg('requested'));
  expect(await bytesAt(ofFaults[0].image_url)).toEqual(buildJpeg('stage.lost'));
  expect(await bytesAt(ofFaults[1].image_url)).toEqual(buildJpeg('disk.full'));
  const { data: events } = await cloud.admin.get('/v1/events?types=device.screenshot&limit=100');
  expect(
    events
      .filter((event: { resource: string }) => event.resource === device.deviceId)
      .map((event: { data: { screenshot: { reason: string } } }) => event.data.screenshot.reason),
  ).toEqual(['requested', 'fault', 'fault']);

  // The last of each fault, and of five different ones.
  await send('disk.full', 'full once more');
  for (const code of ['a & b', 'c', 'd', 'e']) {
    await send(code);
  }
  const { fault_screenshots: kept } = await stateOf(device);
  expect(kept.map((each: { fault_code: string }) => each.fault_code)).toEqual([
    'e',
    'd',
    'c',
    'a & b',
    'disk.full',
  ]);
  expect(await bytesAt(kept[3].image_url)).toEqual(buildJpeg('a & b'));
  expect(await bytesAt(kept[4].image_url)).toEqual(buildJpeg('full once more'));
  expect((await cloud.admin.raw(ofFaults[0].image_url)).status).toBe(404);

  await cloud.admin.patch(`/v1/devices/${device.deviceId}`, {
    configuration: { screenshots_allowed: false },
  });
  expect((await stateOf(device)).fault_screenshots).toEqual([]);
  expect((await send('f')).error?.code).toBe('COMMAND_NOT_FOUND');
});

test('a device without a socket is asked with its next heartbeat', async () => {
  const device = await pairDevice(cloud);
  const heartbeat = () =>
    device.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  await heartbeat();
  const request = await requestFor(device);
  expect((await heartbeat()).data.commands).toEqual([
    expect.objectContaining({ id: request.id, command: 'SCREENSHOT' }),
  ]);
  expect((await stateOf(device)).request.status).toBe('delivered');
  await device.client.post(`/v1/player/commands/${request.id}/status`, { status: 'acknowledged' });
  expect((await stateOf(device)).request.status).toBe('acknowledged');
  cloud.clock.advance(120_000);
  expect((await stateOf(device)).request.status, 'it has begun and never finished').toBe('expired');
});

test('a player that does not know the task, or cannot do it, says so', async () => {
  const device = await pairDevice(cloud);
  const request = await requestFor(device);
  await device.client.post(`/v1/player/commands/${request.id}/status`, {
    status: 'failed',
    result: { reason: 'unknown command' },
  });
  expect((await stateOf(device)).request).toMatchObject({ status: 'failed', problem: 'unknown command' });
  expect((await upload(device, request.id, buildJpeg('late'))).status).toBe(404);
});

test('a picture is accepted only from the device that was asked, in time, and if it is a small JPEG image', async () => {
  const device = await pairDevice(cloud);
  const other = await pairDevice(cloud);
  const request = await requestFor(device);
  expect((await upload(other, request.id, buildJpeg('x'))).error?.code).toBe('COMMAND_NOT_FOUND');
  expect((await upload(device, 'cmd_none', buildJpeg('x'))).error?.code).toBe('COMMAND_NOT_FOUND');
  const command = (await cloud.admin.post(`/v1/devices/${device.deviceId}/commands`, { command: 'REFRESH' }))
    .data;
  expect((await upload(device, command.id, buildJpeg('x'))).error?.code).toBe('COMMAND_NOT_FOUND');
  const png = await upload(device, request.id, Buffer.from('\x89PNG'));
  expect(png.error?.details).toEqual([
    {
      path: 'image',
      message: 'must be a JPEG image of at most 1920 pixels a side and 524288 bytes, in Base64',
    },
  ]);
  expect(
    (await upload(device, request.id, Buffer.concat([buildJpeg(''), Buffer.alloc(600_000)]))).status,
  ).toBe(400);
  expect((await stateOf(device)).screenshot).toBeNull();

  cloud.clock.advance(120_000);
  expect((await upload(device, request.id, buildJpeg('x'))).error?.code).toBe('COMMAND_NOT_FOUND');
  expect((await stateOf(device)).request.status).toBe('expired');
  expect((await requestFor(device)).id).not.toBe(request.id);
});

test('only keys that may write can ask, and the audit log says who has', async () => {
  const device = await pairDevice(cloud);
  const reader = cloud.clientFor(await cloud.createKey('Read'));
  const path = `/v1/devices/${device.deviceId}/screenshot`;
  expect((await reader.post(path)).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect((await reader.get(path)).status).toBe(200);
  expect((await cloud.admin.post('/v1/devices/dev_none/screenshot')).error?.code).toBe('DEVICE_NOT_FOUND');
  const request = await requestFor(device);
  const [entry] = (await cloud.admin.get(`/v1/audit-log?resource_id=${device.deviceId}&limit=1`)).data;
  expect(entry).toMatchObject({ action: 'device.screenshot_requested' });
  expect(JSON.stringify(entry)).toContain(request.id);
});

test('the clean-up deletes pictures of 30 days ago, and those of removed devices', async () => {
  const own = await startTestCloud();
  onTestFinished(() => own.close());
  const take = async (device: PairedDevice, text: string) => {
    const { id } = (await own.admin.post(`/v1/devices/${device.deviceId}/screenshot`)).data;
    const taken_at = new Date(own.clock.nowMs()).toISOString();
    const image = buildJpeg(text).toString('base64');
    await device.client.post('/v1/player/screenshots', { command_id: id, taken_at, current: null, image });
  };
  const [kept, removed] = [await pairDevice(own), await pairDevice(own)];
  await take(kept, 'newest');
  await take(removed, 'removed');
  const taken_at = new Date(own.clock.nowMs()).toISOString();
  const ofFault = {
    fault_code: 'disk.full',
    taken_at,
    current: null,
    image: buildJpeg('fault').toString('base64'),
  };
  await kept.client.post('/v1/player/screenshots', ofFault);
  const hashOf = (table: 'screenshots' | 'fault_screenshots', { deviceId }: PairedDevice) =>
    own.inDatabase((db) =>
      db.selectFrom(table).select('sha256').where('device_id', '=', deviceId).executeTakeFirstOrThrow(),
    );
  const hashes = [
    await hashOf('screenshots', kept),
    await hashOf('screenshots', removed),
    await hashOf('fault_screenshots', kept),
  ];
  const filesKept = () =>
    Promise.all(
      hashes.map(async ({ sha256 }) => (await own.clientFor(null).raw(`/cdn/${sha256}.jpg`)).status === 200),
    );
  expect(await filesKept()).toEqual([true, true, true]);
  await own.admin.delete(`/v1/devices/${removed.deviceId}`);
  await eventually(async () => {
    // The job runs every hour, unless it still runs.
    own.clock.advance(3_600_000);
    expect(await filesKept()).toEqual([true, false, true]);
  });
  own.clock.advance(30 * 86_400_000);
  await eventually(async () => {
    own.clock.advance(3_600_000);
    expect((await own.admin.get(`/v1/devices/${kept.deviceId}/screenshot`)).data).toMatchObject({
      screenshot: null,
      fault_screenshots: [],
    });
  });
  await eventually(async () => {
    own.clock.advance(3_600_000);
    expect(await filesKept()).toEqual([false, false, false]);
  });
});
