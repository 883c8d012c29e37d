import { PROTOCOL_VERSION } from '@placard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { buildJpeg } from './support/jpeg.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** A device that is online with a socket, as a player of this protocol version says hello. */
async function connect(protocol = PROTOCOL_VERSION) {
  const device = await pairDevice(cloud);
  const socket = await openPlayerSocket(cloud.cloud.url, device.token);
  expect(await socket.next()).toMatchObject({ type: 'welcome' });
  socket.send({ type: 'hello', protocol, player_version: '0.1.0' });
  await eventually(async () => expect(await statusOf(device)).toBe('online'));
  return { ...device, socket };
}

const statusOf = async ({ deviceId }: PairedDevice) =>
  (await cloud.admin.get(`/v1/devices/${deviceId}`)).data.status;

const look = ({ deviceId }: PairedDevice, client = cloud.admin) =>
  client.raw(`/v1/devices/${deviceId}/screenshot/live`, { method: 'POST' });
const refusedLook = ({ deviceId }: PairedDevice, client = cloud.admin) =>
  client.post(`/v1/devices/${deviceId}/screenshot/live`);

const reasonFor = async (device: PairedDevice) => (await refusedLook(device)).error?.details;

const sendImage = ({ client }: PairedDevice, image: Buffer) =>
  client.post('/v1/player/live', { kind: 'picture', image: image.toString('base64') });
const answer = (device: PairedDevice, text: string) => sendImage(device, buildJpeg(text));

const bytesOf = async (response: Response) => Buffer.from(await response.bytes());

/** Looks once, as many as there are clients, with a device that sends this picture. */
async function lookOnce(device: Awaited<ReturnType<typeof connect>>, text: string, clients = [cloud.admin]) {
  const looking = clients.map((client) => look(device, client));
  expect(await device.socket.next()).toEqual({ type: 'live_request', wanted: 'picture' });
  expect(await answer(device, text)).toMatchObject({ status: 200 });
  const responses = await Promise.all(looking);
  cloud.clock.advance(1_000);
  return responses;
}

test('who looks gets what the device sends, and nothing of it is stored', async () => {
  const device = await connect();
  for (const text of ['first', 'second', 'third']) {
    const [response] = await lookOnce(device, text);
    expect(response!.status).toBe(200);
    expect(response!.headers.get('content-type')).toBe('image/jpeg');
    expect(response!.headers.get('cache-control')).toBe('no-store');
    expect(await bytesOf(response!)).toEqual(buildJpeg(text));
  }
  const { data: state } = await cloud.admin.get(`/v1/devices/${device.deviceId}/screenshot`);
  expect(state).toMatchObject({ screenshot: null, request: null });
  const { data: events } = await cloud.admin.get('/v1/events?limit=100');
  expect(
    events.filter(
      ({ resource, type }: { resource: string; type: string }) =>
        resource === device.deviceId && type.startsWith('device.screenshot'),
    ),
  ).toEqual([]);
  expect(await answer(device, 'nobody waits')).toMatchObject({
    status: 404,
    error: { code: 'COMMAND_NOT_FOUND' },
  });
  device.socket.close();
});

test('several who look share a picture, and the audit log has each of them once in ten minutes', async () => {
  const device = await connect();
  const { data: key } = await cloud.admin.post('/v1/api-keys', { name: 'Second', scope: 'Write' });
  const other = cloud.clientFor(key.key);
  // Each request would advance the clock.
  const entries = () =>
    cloud.inDatabase((db) =>
      db
        .selectFrom('audit_log')
        .select('actor_name')
        .where('resource_id', '=', device.deviceId)
        .where('action', '=', 'device.viewed_live')
        .execute(),
    );
  // Both wait before the device answers; one request reaches it.
  const both = [look(device)];
  expect(await device.socket.next()).toMatchObject({ type: 'live_request' });
  both.push(look(device, other));
  await eventually(async () => expect(await entries()).toHaveLength(2));
  expect((await answer(device, 'shared')).status).toBe(200);
  for (const response of await Promise.all(both)) {
    expect(await bytesOf(response)).toEqual(buildJpeg('shared'));
  }
  cloud.clock.advance(1_000);
  await lookOnce(device, 'again');
  await lookOnce(device, 'and again');
  expect(await entries()).toHaveLength(2);
  expect(new Set((await entries()).map((each) => each.actor_name)).size).toBe(2);
  cloud.clock.advance(10 * 60_000);
  await device.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  await lookOnce(device, 'later');
  expect(await entries()).toHaveLength(3);
  device.socket.close();
});

test('only keys that may write can look, at devices that exist', async () => {
  const device = await connect();
  const { data: key } = await cloud.admin.post('/v1/api-keys', { name: 'Reader', scope: 'Read' });
  expect((await refusedLook(device, cloud.clientFor(key.key))).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect((await cloud.admin.post('/v1/devices/dev_none/screenshot/live')).error?.code).toBe(
    'DEVICE_NOT_FOUND',
  );
  device.socket.close();
});

test('where screenshots are forbidden nobody looks, not even with a picture that was on its way', async () => {
  const device = await connect();
  const allow = (isAllowed: boolean) =>
    cloud.admin.patch(`/v1/devices/${device.deviceId}`, {
      configuration: { screenshots_allowed: isAllowed },
    });
  const looking = refusedLook(device);
  expect(await device.socket.next()).toMatchObject({ type: 'live_request' });
  await allow(false);
  expect((await answer(device, 'on its way')).error?.code).toBe('COMMAND_NOT_FOUND');
  expect(await refusedLook(device)).toMatchObject({
    status: 409,
    error: { code: 'SCREENSHOTS_FORBIDDEN', details: { by: 'device' } },
  });
  cloud.clock.advance(10_000);
  expect(await looking).toMatchObject({
    status: 409,
    error: { code: 'NO_LIVE_ANSWER', details: { reason: 'no_answer' } },
  });
  device.socket.close();
});

test('a device without a socket, of an old version, or that cannot take a picture says why', async () => {
  const offline = await pairDevice(cloud);
  expect(await reasonFor(offline)).toEqual({ reason: 'offline', problem: null });

  const old = await connect(12);
  expect(await reasonFor(old)).toEqual({ reason: 'player_too_old', problem: null });
  old.socket.close();
  await old.socket.closed;

  const failing = await connect();
  const looking = reasonFor(failing);
  expect(await failing.socket.next()).toMatchObject({ type: 'live_request' });
  const refuses = async (image: Buffer) => expect((await sendImage(failing, image)).status).toBe(400);
  await refuses(Buffer.from('no image'));
  await refuses(Buffer.concat([buildJpeg('large'), Buffer.alloc(524_288)]));
  await failing.client.post('/v1/player/live', {
    kind: 'problem',
    wanted: 'picture',
    problem: 'there is no window',
  });
  expect(await looking).toEqual({ reason: 'failed', problem: 'there is no window' });

  cloud.clock.advance(1_000);
  const lookingAgain = look(failing);
  expect(await failing.socket.next()).toMatchObject({ type: 'live_request' });
  await refuses(buildJpeg('too wide', { width: 961, height: 540 }));
  await refuses(buildJpeg('too high', { width: 10, height: 65_535 }));
  await answer(failing, 'in time');
  expect((await lookingAgain).status).toBe(200);
  failing.socket.close();
});

test('who follows the log of a player gets its newest lines, and nothing of them is stored', async () => {
  const device = await connect();
  const follow = (client = cloud.admin) => client.post(`/v1/devices/${device.deviceId}/logs/live`);
  const log = { run: '1', first: 3, lines: ['one', 'two'] };
  const following = follow();
  expect(await device.socket.next()).toEqual({ type: 'live_request', wanted: 'log_lines' });
  expect(
    (
      await device.client.post('/v1/player/live', {
        kind: 'picture',
        image: buildJpeg('unasked').toString('base64'),
      })
    ).error?.code,
  ).toBe('COMMAND_NOT_FOUND');
  expect((await device.client.post('/v1/player/live', { kind: 'log_lines', log })).status).toBe(200);
  expect(await following).toMatchObject({ status: 200, data: log });
  expect((await cloud.admin.get(`/v1/devices/${device.deviceId}/logs`)).data).toEqual({
    logs: null,
    request: null,
  });
  const lines = ['x'.repeat(16_385)];
  expect(
    (await device.client.post('/v1/player/live', { kind: 'log_lines', log: { ...log, lines } })).status,
  ).toBe(400);
  const { data: entries } = await cloud.admin.get(`/v1/audit-log?resource_id=${device.deviceId}`);
  expect(entries.map(({ action }: { action: string }) => action)).toContain('device.log_followed');
  const { data: key } = await cloud.admin.post('/v1/api-keys', { name: 'Reads', scope: 'Read' });
  expect((await follow(cloud.clientFor(key.key))).error?.code).toBe('INSUFFICIENT_SCOPE');
  device.socket.close();
});

test('a player that can send pictures but no lines of its log is too old for that alone', async () => {
  const device = await connect(13);
  expect(await cloud.admin.post(`/v1/devices/${device.deviceId}/logs/live`)).toMatchObject({
    status: 409,
    error: { code: 'NO_LIVE_ANSWER', details: { reason: 'player_too_old' } },
  });
  const [response] = await lookOnce(device, 'still seen');
  expect(await bytesOf(response!)).toEqual(buildJpeg('still seen'));
  device.socket.close();
});

// The clock of the test goes on with requests alone: nobody waits for ten seconds here.
test('a device that sends heartbeats alone is soon known to have no socket, also by several nodes', async () => {
  const device = await pairDevice(cloud);
  await device.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  const { deviceId } = device;
  expect(await reasonFor(device)).toEqual({ reason: 'no_socket', problem: null });
  expect((await cloud.admin.post(`/v1/devices/${deviceId}/logs/live`)).error?.details).toEqual({
    reason: 'no_socket',
    problem: null,
  });
});
