import { OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from '@placard/protocol';
import type { ServerMessage } from '@placard/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { buildReportedState, buildSample, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import type { PlayerSocket } from './support/player-socket.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const nowIso = (laterMs = 0) => new Date(cloud.clock.nowMs() + laterMs).toISOString();
const deviceOf = async ({ deviceId }: PairedDevice) =>
  (await cloud.admin.get(`/v1/devices/${deviceId}`)).data;
const sampleCountOf = async ({ deviceId }: PairedDevice): Promise<number> => {
  const { data } = await cloud.admin.get(`/v1/devices/${deviceId}/heartbeats?interval=day`);
  return data.reduce((sum: number, { samples }: { samples: number }) => sum + samples, 0);
};

/** Opens the socket of a device, past the welcome. */
async function connect(screen: PairedDevice): Promise<PlayerSocket> {
  const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
  expect(await socket.next()).toMatchObject({ type: 'welcome', heartbeats: true });
  return socket;
}

async function pairAndConnect(): Promise<{ screen: PairedDevice; socket: PlayerSocket }> {
  const screen = await pairDevice(cloud);
  return { screen, socket: await connect(screen) };
}

let seq = 0;
/** Sends a heartbeat; resolves with its answer. */
async function beat(socket: PlayerSocket, fields: Record<string, unknown>): Promise<ServerMessage> {
  seq += 1;
  socket.send({ type: 'heartbeat', seq, samples: [], ...fields });
  const answer = await socket.next();
  expect(answer).toMatchObject({ seq });
  return answer;
}

const refusal = (code: string, message: unknown = expect.any(String)) => ({
  type: 'heartbeat_refused',
  seq,
  error: { code, message },
});
const acknowledged = { type: 'heartbeat_ack' };
const fault = (code: string) => ({ code, since: '2026-01-01T00:00:00.000Z' });

test('a heartbeat on the socket has the effect and the answer of one by HTTP', async () => {
  const { screen, socket } = await pairAndConnect();
  const { deviceId } = screen;
  const { id, expires_at } = (
    await cloud.admin.post(`/v1/devices/${deviceId}/commands`, { command: 'REFRESH' })
  ).data;
  expect((await socket.next()).type).toBe('command');
  const body = { samples: [buildSample(nowIso())], state: buildReportedState({ tz_version: '2026c' }) };
  const answer = await beat(socket, body);
  expect(answer).toEqual({
    type: 'heartbeat_ack',
    seq,
    server_time: expect.any(String),
    manifest_revision: (await deviceOf(screen)).configuration.manifest_revision,
    commands: [{ id, command: 'REFRESH', expires_at }],
    next_heartbeat_in: 60,
  });
  // Without waiting: what is acknowledged is stored.
  expect(await deviceOf(screen)).toMatchObject({
    status: 'online',
    latest_heartbeat: { cpu_percent: 10 },
    tz_version: '2026c',
  });
  expect(await sampleCountOf(screen)).toBe(1);

  const byHttp = await screen.client.post('/v1/player/heartbeats', body);
  const { server_time: _, ...rest } = byHttp.data;
  expect(answer).toMatchObject(rest);
  expect(await sampleCountOf(screen), 'the same sample counts once').toBe(1);
  socket.close();
});

test('changes complete the state of the heartbeat before', async () => {
  const { screen, socket } = await pairAndConnect();
  const current = { playlist_id: 'pl_1', item_id: 'i', content_id: 'c', since: nowIso() };
  const frames = { drawn: 5, dropped: 0 };
  await beat(socket, { state: buildReportedState({ faults: [fault('a')], frames, current }) });
  const before = await deviceOf(screen);

  expect(await beat(socket, {})).toMatchObject(acknowledged);
  const changes = { player_version: '0.2.0', frames: { drawn: 9, dropped: 1 }, battery: { percent: 4 } };
  expect(await beat(socket, { changes })).toMatchObject(acknowledged);
  const after = await deviceOf(screen);
  expect(after).toMatchObject({
    player_version: '0.2.0',
    frames: { drawn: 9, dropped: 1 },
    faults: before.faults,
    current_playlist: before.current_playlist,
    storage: before.storage,
  });
  expect(before).toMatchObject({ faults: [{ code: 'a' }], frames });

  // Each change is based on the one before, not on the first state.
  expect(await beat(socket, { changes: { current: null } })).toMatchObject(acknowledged);
  expect(await deviceOf(screen)).toMatchObject({ player_version: '0.2.0', current_playlist: null });

  // A whole state replaces the other: what it does not have is gone.
  expect(await beat(socket, { state: buildReportedState() })).toMatchObject(acknowledged);
  expect(await deviceOf(screen)).toMatchObject({ player_version: '0.1.0', frames: null, faults: [] });
  socket.close();
});

describe('is refused', () => {
  test('the change of a state that this connection has not carried', async () => {
    const { screen, socket } = await pairAndConnect();
    const changes = { player_version: '6.6.6' };
    expect(await beat(socket, { changes })).toEqual(
      refusal('VALIDATION_ERROR', expect.stringContaining('state')),
    );
    expect(await beat(socket, {})).toEqual(refusal('VALIDATION_ERROR'));
    await beat(socket, { state: buildReportedState() });
    socket.close();
    const newer = await connect(screen);
    expect(await beat(newer, { changes })).toEqual(refusal('VALIDATION_ERROR'));
    expect((await deviceOf(screen)).player_version).not.toBe('6.6.6');
    newer.close();
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['a state without a field', 'state.storage', { state: { ...buildReportedState(), storage: undefined } }],
    ['a change of the wrong type', 'changes.faults', { changes: { faults: 'none' } }],
    ['null as changes', 'changes', { changes: null }],
    [
      'a sample out of range',
      'samples.0.cpu_percent',
      { samples: [buildSample('2026-01-01T00:00:00.000Z', { cpu_percent: 101 })] },
    ],
    ['samples that are no list', 'samples', { samples: 5 }],
    [
      'an invalid change beside a whole state',
      'changes.shell',
      { state: buildReportedState(), changes: { shell: 5 } },
    ],
  ])('%s; the next heartbeat must be complete', async (_, path, fields) => {
    const { screen, socket } = await pairAndConnect();
    await beat(socket, { state: buildReportedState() });
    const before = await deviceOf(screen);
    const answer = await beat(socket, fields);
    expect(answer).toEqual(refusal('VALIDATION_ERROR', expect.stringContaining(`${path}: `)));
    expect(await deviceOf(screen)).toMatchObject({
      faults: before.faults,
      latest_heartbeat: before.latest_heartbeat,
    });
    expect(await beat(socket, {})).toEqual(refusal('VALIDATION_ERROR'));
    expect(await beat(socket, { state: buildReportedState() })).toMatchObject(acknowledged);
    socket.close();
  });
});

test.each([
  ['no number', { type: 'heartbeat', samples: [], state: buildReportedState() }],
  ['a number that is none', { type: 'heartbeat', seq: '1', samples: [], state: buildReportedState() }],
  [
    'too many fields',
    { type: 'heartbeat', seq: 1, samples: [], state: buildReportedState(), more: Array(1001).fill(0) },
  ],
  ['text instead of an object', 'heartbeat'],
])('a heartbeat with %s is not answered and has no effect', async (_, message) => {
  const { screen, socket } = await pairAndConnect();
  socket.socket.send(JSON.stringify(message));
  expect(await beat(socket, { changes: {} })).toEqual(refusal('VALIDATION_ERROR'));
  expect((await deviceOf(screen)).status).toBe('offline');
  socket.close();
});

test('a heartbeat that is too large closes its own socket', async () => {
  const { screen, socket } = await pairAndConnect();
  const facts = { text: 'x'.repeat(8192) };
  socket.send({
    type: 'heartbeat',
    seq: 1,
    samples: [],
    state: buildReportedState({ faults: [{ ...fault('a'), facts }] }),
  });
  expect((await socket.closed).code).toBe(1009);
  expect((await deviceOf(screen)).faults).toEqual([]);
});

test('many heartbeats at once are answered in order', async () => {
  const { screen, socket } = await pairAndConnect();
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
  socket.send({ type: 'heartbeat', seq: 0, samples: [], state: buildReportedState() });
  for (const number of numbers) {
    const frames = { drawn: number, dropped: 0 };
    socket.send({ type: 'heartbeat', seq: number, samples: [], changes: { frames } });
  }
  for (const number of [0, ...numbers]) {
    expect(await socket.next()).toMatchObject({ ...acknowledged, seq: number });
  }
  expect(await deviceOf(screen)).toMatchObject({ frames: { drawn: 100 } });
  socket.close();
});

test('heartbeats count as messages of the device', async () => {
  const { socket } = await pairAndConnect();
  for (let number = 0; number < 301; number++) {
    socket.send({ type: 'heartbeat', seq: number, samples: [] });
  }
  expect((await socket.closed).code).toBe(1008);
});

test('a heartbeat of a device that another process has removed is refused', async () => {
  const { screen, socket } = await pairAndConnect();
  await beat(socket, { state: buildReportedState() });
  await cloud.inDatabase((db) => db.deleteFrom('devices').where('id', '=', screen.deviceId).execute());
  expect(await beat(socket, {})).toEqual(refusal('DEVICE_UNPAIRED'));
  socket.close();
});

test('a player of the version before is served as before', async () => {
  const { screen, socket } = await pairAndConnect();
  socket.send({ type: 'hello', protocol: OLDEST_PROTOCOL_VERSION, player_version: '0.0.9' });
  await eventually(async () => expect((await deviceOf(screen)).player_version).toBe('0.0.9'));
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name: 'Changed' });
  expect((await socket.next()).type, 'no answer of heartbeats before').toBe('manifest_changed');
  expect(OLDEST_PROTOCOL_VERSION).toBeLessThan(PROTOCOL_VERSION);
  socket.close();
});
