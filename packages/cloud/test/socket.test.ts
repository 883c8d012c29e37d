import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from '@placard/protocol';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestCloud } from './support/cloud.ts';
import type { TestCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { pairScreen, state } from './support/screen.ts';
import type { Screen } from './support/screen.ts';
import { openSocket } from './support/socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const connect = (screen: Screen) => openSocket(cloud.cloud.url, screen.token);
const deviceOf = async (screen: Screen) => (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data;
const commandOf = async (id: string) => (await cloud.admin.get(`/v1/commands/${id}`)).data;

/** A socket whose frames are written by hand, and that never closes by itself. */
async function rawSocket(screen: Screen): Promise<Socket> {
  const line = connectTo(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
  onTestFinished(() => void line.destroy());
  line.write(
    'GET /v1/player/socket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `authorization: Bearer ${screen.token}\r\n\r\n`,
  );
  await once(line, 'data');
  return line;
}

const hello = {
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  player_version: '1',
  manifest_revision: null,
  boot_id: 'b',
};
const isOnline = (screen: Screen) =>
  eventually(async () => expect((await deviceOf(screen)).status).toBe('online'));

test('the server speaks first, with welcome; the device is online once it speaks', async () => {
  const screen = await pairScreen(cloud);
  const socket = await connect(screen);
  const device = await deviceOf(screen);
  expect(await socket.next()).toEqual({
    type: 'welcome',
    protocol: PROTOCOL_VERSION,
    server_time: expect.any(String),
    manifest_revision: device.configuration.manifest_revision,
    heartbeat_interval: 60,
  });
  expect(device.status).toBe('offline');
  socket.send(hello);
  await isOnline(screen);
  expect(socket.socket.extensions, 'no compression').toBe('');
  socket.close();
});

test('a change is pushed to the device that it concerns, after it was committed', async () => {
  const [screen, other] = [await pairScreen(cloud), await pairScreen(cloud)];
  const [socket, quiet] = [await connect(screen), await connect(other)];
  await socket.next();
  await quiet.next();
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { orientation: 'portrait' });
  const message = await socket.next();
  const { revision } = (await screen.api.get('/v1/player/manifest')).data;
  expect(message).toEqual({ type: 'manifest_changed', revision });

  await cloud.admin.post(`/v1/devices/${other.deviceId}/commands`, { command: 'REFRESH' });
  expect((await quiet.next()).type, 'the first that the other device hears').toBe('command');
  socket.close();
  quiet.close();
});

test('a command lives from queued to succeeded', async () => {
  const screen = await pairScreen(cloud);
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
  socket.send({ type: 'command_status', id: sent.data.id, status: 'acknowledged' });
  await eventually(async () => expect((await commandOf(sent.data.id)).status).toBe('acknowledged'));
  socket.close();

  const progress = { status: 'acknowledged', result: { outcome: 'downloading' } };
  await screen.api.post(`/v1/player/commands/${sent.data.id}/status`, progress);
  expect(await commandOf(sent.data.id)).toMatchObject(progress);
  const report = { status: 'succeeded', result: { boots: 1 } };
  const told = await screen.api.post(`/v1/player/commands/${sent.data.id}/status`, report);
  expect(told.data).toEqual({ id: sent.data.id, status: 'succeeded' });
  const late = await screen.api.post(`/v1/player/commands/${sent.data.id}/status`, {
    status: 'acknowledged',
  });
  expect(late.data.status, 'an old report changes nothing').toBe('succeeded');
  expect(await commandOf(sent.data.id)).toMatchObject({ status: 'succeeded', result: { boots: 1 } });
  const heartbeat = await screen.api.post('/v1/player/heartbeats', { samples: [], state: state() });
  expect(heartbeat.data.commands).toEqual([]);
});

test('a command reaches a device without a socket by its heartbeat, and expires when it does not', async () => {
  const screen = await pairScreen(cloud);
  const path = `/v1/devices/${screen.deviceId}/commands`;
  const first = (await cloud.admin.post(path, { command: 'REFRESH' })).data;
  const heartbeat = () => screen.api.post('/v1/player/heartbeats', { samples: [], state: state() });
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

test('an expired command that was never delivered stays expired, one that was may still end; both are told once', async () => {
  const hook = (
    await cloud.admin.post('/v1/webhooks', {
      url: 'https://hooks.example.invalid/',
      events: ['command.finished'],
    })
  ).data;
  const screen = await pairScreen(cloud);
  const send = async () =>
    (
      await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, {
        command: 'REFRESH',
        expires_in: 30,
      })
    ).data.id;
  const delivered = await send();
  await screen.api.post('/v1/player/heartbeats', { samples: [], state: state() });
  const unseen = await send();
  await eventually(async () => {
    cloud.clock.advance(10_000);
    for (const id of [delivered, unseen]) expect((await commandOf(id)).status).toBe('expired');
  });
  const report = async (id: string) =>
    (await screen.api.post(`/v1/player/commands/${id}/status`, { status: 'succeeded' })).data.status;
  expect(await report(unseen)).toBe('expired');
  expect(await commandOf(unseen)).toMatchObject({ status: 'expired', delivered_at: null });
  expect(await report(delivered)).toBe('succeeded');
  const told = (await cloud.admin.get(`/v1/webhooks/${hook.id}/deliveries`)).data;
  type Told = { payload: { data: { command: { id: string; status: string } } } };
  const facts = told.map(({ payload }: Told) => [payload.data.command.id, payload.data.command.status]);
  expect(new Map(facts)).toEqual(
    new Map([
      [delivered, 'expired'],
      [unseen, 'expired'],
    ]),
  );
  expect(facts).toHaveLength(2);
});

test('a newer socket takes over from the older one', async () => {
  const screen = await pairScreen(cloud);
  const older = await connect(screen);
  await older.next();
  const newer = await connect(screen);
  await newer.next();
  expect((await older.closed).code).toBe(4409);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Still connected' });
  expect((await newer.next()).type).toBe('manifest_changed');
  newer.close();
});

test('removing a device tells its socket and closes it with 4401; it cannot come back', async () => {
  const screen = await pairScreen(cloud);
  const socket = await connect(screen);
  await socket.next();
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  expect(await socket.next()).toEqual({ type: 'unpaired' });
  expect((await socket.closed).code).toBe(4401);

  const later = await connect(screen);
  expect(await later.next()).toEqual({ type: 'unpaired' });
  expect((await later.closed).code).toBe(4401);
});

test('a removed device that sends what is no frame ends its connection, not the cloud', async () => {
  const screen = await pairScreen(cloud);
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  const line = await rawSocket(screen);
  // Reserved bits that nobody agreed on. An error without a listener would end this process, and fail the run.
  line.end(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]));
  await once(line, 'close');
  expect((await cloud.admin.get('/v1/devices')).status).toBe(200);
});

test('a token that was never given is refused, not unpaired', async () => {
  await expect(openSocket(cloud.cloud.url, 'pld_unknown')).rejects.toThrow('refused with 401');
  await expect(openSocket(cloud.cloud.url, null)).rejects.toThrow('refused with 401');
});

test.each([
  ['/v1/player/socket', 401, 'UNAUTHORIZED'],
  ['/v1/somewhere', 404, 'ROUTE_NOT_FOUND'],
])(
  'a socket that is asked for at %s without a right to it is refused in the envelope',
  async (path, status, code) => {
    const line = connectTo(Number(new URL(cloud.cloud.url).port), '127.0.0.1');
    line.write(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const [head = '', body = ''] = (await text(line)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status}`);
    expect(head).toContain('x-request-id: ');
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code } });
  },
);

test('messages that nobody knows are passed over', async () => {
  const screen = await pairScreen(cloud);
  const socket = await connect(screen);
  await socket.next();
  socket.socket.send('not json');
  socket.send({ type: 'from_the_future', value: 1 });
  socket.send({
    type: 'hello',
    protocol: PROTOCOL_VERSION,
    player_version: '9.9.9',
    manifest_revision: null,
    boot_id: 'boot',
    more: true,
  });
  await eventually(async () => expect((await deviceOf(screen)).player_version).toBe('9.9.9'));
  socket.close();
});

test('what is too long, too deep or of too many parts says nothing, and ends nothing but its own socket', async () => {
  const screen = await pairScreen(cloud);
  const path = `/v1/devices/${screen.deviceId}/commands`;
  const { id } = (await cloud.admin.post(path, { command: 'REBOOT' })).data;
  const socket = await connect(screen);
  await socket.next();
  await socket.next();
  const report = (value: string, status = 'succeeded') =>
    socket.socket.send(`{"type":"command_status","id":"${id}","status":"${status}","result":{"a":${value}}}`);
  report('['.repeat(40) + ']'.repeat(40));
  report(`[${'{},'.repeat(1000)}{}]`);
  report('"as ever"', 'acknowledged');
  await eventually(async () =>
    expect(await commandOf(id)).toMatchObject({ status: 'acknowledged', result: { a: 'as ever' } }),
  );
  report(`"${'x'.repeat(8192)}"`);
  expect((await socket.closed).code).toBe(1009);
});

test('whoever asks for something while a device says a lot waits for one of its messages, not for all', async () => {
  const screen = await pairScreen(cloud);
  const link = await connect(screen);
  await link.next();
  for (let number = 1; number <= 250; number++) link.send({ ...hello, player_version: `1.${number}` });
  link.socket.ping();
  // All of them have arrived by now.
  await once(link.socket, 'pong');
  expect((await deviceOf(screen)).player_version).not.toBe('1.250');
  await eventually(async () => expect((await deviceOf(screen)).player_version).toBe('1.250'));
  link.close();
});

test('a device that says too much is not heard sooner over a new socket', async () => {
  const screen = await pairScreen(cloud);
  const flood = async () => {
    const socket = await connect(screen);
    for (let number = 0; number < 301; number++) socket.send({ type: 'something new' });
    return socket.closed;
  };
  expect((await flood()).code).toBe(1008);
  const again = await connect(screen);
  again.send({ type: 'something new' });
  expect((await again.closed).code).toBe(1008);
});

test.each(['ping', 'pong'] as const)(
  'a device that sends one %s after the other is told, and then cut off',
  async (kind) => {
    const screen = await pairScreen(cloud);
    const socket = await connect(screen);
    for (let number = 0; number < 300; number++) {
      socket.socket[kind]();
      // Many that wait for an answer at once end the connection at once.
      if (kind === 'ping') await once(socket.socket, 'pong');
    }
    socket.socket[kind]();
    expect((await socket.closed).code).toBe(1008);
    const line = await rawSocket(screen);
    // A client that never closes its side, whatever it is told.
    const frame = Buffer.from([kind === 'ping' ? 0x89 : 0x8a, 0x80, 0, 0, 0, 0]);
    line.on('error', () => undefined);
    line.write(Buffer.concat([frame, frame, frame]));
    await once(line.resume(), 'close');
  },
);

test('a device whose socket dropped is offline after a while, unless it goes on with heartbeats', async () => {
  const [gone, talking] = [await pairScreen(cloud), await pairScreen(cloud)];
  for (const screen of [gone, talking]) {
    const socket = await connect(screen);
    await socket.next();
    socket.send(hello);
    await isOnline(screen);
    socket.close();
    await socket.closed;
  }
  cloud.clock.advance(60_000);
  await talking.api.post('/v1/player/heartbeats', { samples: [], state: state() });
  await eventually(async () => {
    cloud.clock.advance(5000);
    expect((await deviceOf(gone)).status).toBe('offline');
  });
  expect((await deviceOf(talking)).status).toBe('online');
});

test('a player of an older protocol is served as before', async () => {
  const screen = await pairScreen(cloud);
  const socket = await connect(screen);
  await socket.next();
  socket.send({ ...hello, protocol: OLDEST_PROTOCOL_VERSION });
  await isOnline(screen);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Still connected' });
  expect((await socket.next()).type).toBe('manifest_changed');
  socket.close();
});

test('a player that speaks another protocol is told so', async () => {
  const screen = await pairScreen(cloud);
  const socket = await connect(screen);
  await socket.next();
  socket.send({ type: 'hello', protocol: 99, player_version: '9', manifest_revision: null, boot_id: 'b' });
  expect((await socket.closed).code).toBe(4426);
});
