import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTo } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from '@placard/protocol';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { pairDevice, buildReportedState } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const connect = (screen: PairedDevice) => openPlayerSocket(cloud.cloud.url, screen.token);
const deviceOf = async (screen: PairedDevice) =>
  (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data;
const commandOf = async (id: string) => (await cloud.admin.get(`/v1/commands/${id}`)).data;

/** A raw WebSocket connection for hand-written frames that never closes by itself. */
async function rawSocket(screen: PairedDevice): Promise<Socket> {
  const connection = connectTo(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
  onTestFinished(() => void connection.destroy());
  connection.write(
    'GET /v1/player/socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `authorization: Bearer ${screen.token}\r\n\r\n`,
  );
  await once(connection, 'data');
  return connection;
}

const hello = { type: 'hello', protocol: PROTOCOL_VERSION, player_version: '1' };
const isOnline = (screen: PairedDevice) =>
  eventually(async () => expect((await deviceOf(screen)).status).toBe('online'));

test('the server sends welcome first; the device is online after its first message', async () => {
  const screen = await pairDevice(cloud);
  const socket = await connect(screen);
  const device = await deviceOf(screen);
  expect(await socket.next()).toEqual({
    type: 'welcome',
    protocol: PROTOCOL_VERSION,
    server_time: expect.any(String),
    manifest_revision: device.configuration.manifest_revision,
    heartbeat_interval: 60,
    heartbeats: true,
  });
  expect(device.status).toBe('offline');
  socket.send(hello);
  await isOnline(screen);
  expect(socket.socket.extensions, 'no compression').toBe('');
  socket.close();
});

test('a change is pushed to the affected device after the commit', async () => {
  const [screen, other] = [await pairDevice(cloud), await pairDevice(cloud)];
  const [socket, quiet] = [await connect(screen), await connect(other)];
  await socket.next();
  await quiet.next();
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { orientation: 'portrait' });
  const message = await socket.next();
  const { revision } = (await screen.client.get('/v1/player/manifest')).data;
  expect(message).toEqual({ type: 'manifest_changed', revision });

  await cloud.admin.post(`/v1/devices/${other.deviceId}/commands`, { command: 'REFRESH' });
  expect((await quiet.next()).type, 'the first message of the other device').toBe('command');
  socket.close();
  quiet.close();
});

test('a command goes from queued to succeeded', async () => {
  const screen = await pairDevice(cloud);
  const sent = await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, { command: 'REBOOT' });
  expect(sent.status).toBe(202);
  expect(sent.data).toMatchObject({ status: 'queued', device_id: screen.deviceId, command: 'REBOOT' });

  const socket = await connect(screen);
  await socket.next();
  expect(await socket.next()).toEqual({
    type: 'command',
    command: { id: sent.data.id, command: 'REBOOT', expires_at: sent.data.expires_at },
  });
  expect((await commandOf(sent.data.id)).status).toBe('delivered');
  socket.close();

  const progress = { status: 'acknowledged', result: { outcome: 'downloading' } };
  await screen.client.post(`/v1/player/commands/${sent.data.id}/status`, progress);
  expect(await commandOf(sent.data.id)).toMatchObject(progress);
  const report = { status: 'succeeded', result: { boots: 1 } };
  const statusResponse = await screen.client.post(`/v1/player/commands/${sent.data.id}/status`, report);
  expect(statusResponse.data).toEqual({ id: sent.data.id, status: 'succeeded' });
  const late = await screen.client.post(`/v1/player/commands/${sent.data.id}/status`, {
    status: 'acknowledged',
  });
  expect(late.data.status, 'an old report changes nothing').toBe('succeeded');
  expect(await commandOf(sent.data.id)).toMatchObject({ status: 'succeeded', result: { boots: 1 } });
  const heartbeat = await screen.client.post('/v1/player/heartbeats', {
    samples: [],
    state: buildReportedState(),
  });
  expect(heartbeat.data.commands).toEqual([]);
});

test('a device without a socket gets commands with its heartbeat; undelivered commands expire', async () => {
  const screen = await pairDevice(cloud);
  const path = `/v1/devices/${screen.deviceId}/commands`;
  const first = (await cloud.admin.post(path, { command: 'REFRESH' })).data;
  const heartbeat = () =>
    screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  expect((await heartbeat()).data.commands).toEqual([
    { id: first.id, command: 'REFRESH', expires_at: first.expires_at },
  ]);
  expect((await heartbeat()).data.commands, 'until it is acknowledged').toHaveLength(1);

  const second = (await cloud.admin.post(path, { command: 'UPDATE_CHECK', expires_in: 30 })).data;
  await eventually(async () => {
    cloud.clock.advance(10_000);
    expect((await commandOf(second.id)).status).toBe('expired');
  });
  expect((await heartbeat()).data.commands.map((command: { id: string }) => command.id)).toEqual([first.id]);
});

test('an expired command can still finish only if it was delivered; webhooks are notified once', async () => {
  const hook = (
    await cloud.admin.post('/v1/webhooks', {
      url: 'https://hooks.example.invalid/',
      events: ['command.finished'],
    })
  ).data;
  const screen = await pairDevice(cloud);
  const send = async () =>
    (
      await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, {
        command: 'REFRESH',
        expires_in: 30,
      })
    ).data.id;
  const delivered = await send();
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  const unseen = await send();
  await eventually(async () => {
    cloud.clock.advance(10_000);
    for (const id of [delivered, unseen]) {
      expect((await commandOf(id)).status).toBe('expired');
    }
  });
  const report = async (id: string) =>
    (await screen.client.post(`/v1/player/commands/${id}/status`, { status: 'succeeded' })).data.status;
  expect(await report(unseen)).toBe('expired');
  expect(await commandOf(unseen)).toMatchObject({ status: 'expired', delivered_at: null });
  expect(await report(delivered)).toBe('succeeded');
  const deliveries = (await cloud.admin.get(`/v1/webhooks/${hook.id}/deliveries`)).data;
  type Delivery = { payload: { data: { command: { id: string; status: string } } } };
  const commandStatuses = deliveries.map(({ payload }: Delivery) => [
    payload.data.command.id,
    payload.data.command.status,
  ]);
  expect(new Map(commandStatuses)).toEqual(
    new Map([
      [delivered, 'expired'],
      [unseen, 'expired'],
    ]),
  );
  expect(commandStatuses).toHaveLength(2);
});

test('a newer socket replaces the older one', async () => {
  const screen = await pairDevice(cloud);
  const older = await connect(screen);
  await older.next();
  const newer = await connect(screen);
  await newer.next();
  expect((await older.closed).code).toBe(4409);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Still connected' });
  expect((await newer.next()).type).toBe('manifest_changed');
  newer.close();
});

test('removing a device closes its socket with 4401, and it cannot reconnect', async () => {
  const screen = await pairDevice(cloud);
  const socket = await connect(screen);
  await socket.next();
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  expect(await socket.next()).toEqual({ type: 'unpaired' });
  expect((await socket.closed).code).toBe(4401);

  const later = await connect(screen);
  expect(await later.next()).toEqual({ type: 'unpaired' });
  expect((await later.closed).code).toBe(4401);
});

test('an invalid frame of a removed device ends its connection, not the cloud', async () => {
  const screen = await pairDevice(cloud);
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  const connection = await rawSocket(screen);
  // Invalid reserved bits. An unhandled error event would end this process and fail the run.
  connection.end(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]));
  await once(connection, 'close');
  expect((await cloud.admin.get('/v1/devices')).status).toBe(200);
});

test('an unknown token is rejected, not unpaired', async () => {
  await expect(openPlayerSocket(cloud.cloud.url, 'pld_unknown')).rejects.toThrow('refused with 401');
  await expect(openPlayerSocket(cloud.cloud.url, null)).rejects.toThrow('refused with 401');
});

test.each([
  ['/v1/player/socket', 401, 'UNAUTHORIZED'],
  ['/v1/somewhere', 404, 'ROUTE_NOT_FOUND'],
])('an upgrade of %s that is not allowed is rejected with the error envelope', async (path, status, code) => {
  const connection = connectTo(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
  connection.write(
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [head = '', body = ''] = (await text(connection)).split('\r\n\r\n');
  expect(head).toContain(`HTTP/1.1 ${status}`);
  expect(head).toContain('x-request-id: ');
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { code } });
});

test('messages of unknown types are ignored', async () => {
  const screen = await pairDevice(cloud);
  const socket = await connect(screen);
  await socket.next();
  socket.socket.send('not json');
  socket.send({ type: 'from_the_future', value: 1 });
  socket.send({ ...hello, player_version: '9.9.9', manifest_revision: null, boot_id: 'boot', more: true });
  await eventually(async () => expect((await deviceOf(screen)).player_version).toBe('9.9.9'));
  socket.close();
});

test('messages that are too long, too deep or have too many entries affect only their own socket', async () => {
  const screen = await pairDevice(cloud);
  const socket = await connect(screen);
  await socket.next();
  const sendHello = (protocol: number, more: string) =>
    socket.socket.send(`{"type":"hello","protocol":${protocol},"player_version":"as usual","more":${more}}`);
  // If they were read, their protocol version would close the socket with 4426.
  sendHello(99, '['.repeat(40) + ']'.repeat(40));
  sendHello(99, `[${'{},'.repeat(1000)}{}]`);
  sendHello(PROTOCOL_VERSION, '"x"');
  await eventually(async () => expect((await deviceOf(screen)).player_version).toBe('as usual'));
  sendHello(99, `"${'x'.repeat(8192)}"`);
  expect((await socket.closed).code).toBe(1009);
});

test('other requests wait for one message of a busy device, not for all', async () => {
  const screen = await pairDevice(cloud);
  const link = await connect(screen);
  await link.next();
  for (let number = 1; number <= 250; number++) {
    link.send({ ...hello, player_version: `1.${number}` });
  }
  link.socket.ping();
  // All of them have arrived by now.
  await once(link.socket, 'pong');
  expect((await deviceOf(screen)).player_version).not.toBe('1.250');
  await eventually(async () => expect((await deviceOf(screen)).player_version).toBe('1.250'));
  link.close();
});

test('a device over its message limit cannot bypass it with a new socket', async () => {
  const screen = await pairDevice(cloud);
  const flood = async () => {
    const socket = await connect(screen);
    for (let number = 0; number < 301; number++) {
      socket.send({ type: 'something new' });
    }
    return socket.closed;
  };
  expect((await flood()).code).toBe(1008);
  const again = await connect(screen);
  again.send({ type: 'something new' });
  expect((await again.closed).code).toBe(1008);
});

test.each(['ping', 'pong'] as const)(
  'a device that floods with %s gets a close frame and is then disconnected',
  async (kind) => {
    const screen = await pairDevice(cloud);
    const socket = await connect(screen);
    const closed = socket.closed.then(() => true);
    // After 300 in half a minute, which may end meanwhile. Too many pings in flight would close the connection at once.
    let sent = 0;
    for (let isClosed = false; !isClosed; sent++) {
      socket.socket[kind]();
      const answered = kind === 'ping' ? once(socket.socket, 'pong') : setImmediate();
      isClosed = await Promise.race([closed, answered.then(() => false)]);
    }
    expect((await socket.closed).code).toBe(1008);
    // The answer to a ping of the cloud counts as well.
    expect(sent).toBeGreaterThanOrEqual(299);
    const connection = await rawSocket(screen);
    // A client that ignores the close frame.
    const frame = Buffer.from([kind === 'ping' ? 0x89 : 0x8a, 0x80, 0, 0, 0, 0]);
    connection.on('error', () => undefined);
    connection.write(Buffer.concat([frame, frame, frame]));
    await once(connection.resume(), 'close');
  },
);

test('a device whose socket closed is offline after a while, unless it continues with heartbeats', async () => {
  const [gone, talking] = [await pairDevice(cloud), await pairDevice(cloud)];
  for (const screen of [gone, talking]) {
    const socket = await connect(screen);
    await socket.next();
    socket.send(hello);
    await isOnline(screen);
    socket.close();
    await socket.closed;
  }
  await eventually(async () => {
    cloud.clock.advance(5000);
    await talking.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
    expect((await deviceOf(gone)).status).toBe('offline');
  });
  expect((await deviceOf(talking)).status).toBe('online');
});

test('a player with an older protocol version is supported', async () => {
  const screen = await pairDevice(cloud);
  const socket = await connect(screen);
  await socket.next();
  socket.send({ ...hello, protocol: OLDEST_PROTOCOL_VERSION });
  await isOnline(screen);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Still connected' });
  expect((await socket.next()).type).toBe('manifest_changed');
  socket.close();
});

test('a player with an unsupported protocol version is disconnected with the reason', async () => {
  const screen = await pairDevice(cloud);
  const socket = await connect(screen);
  await socket.next();
  socket.send({ ...hello, protocol: 99 });
  expect((await socket.closed).code).toBe(4426);
});
