import { startCloud } from '@placard/cloud';
import type { Cloud } from '@placard/cloud';
import { SOCKET_CLOSE } from '@placard/protocol';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openPostgres } from '../../src/database/open-postgres.ts';
import type { CloudEvent } from '../../src/domain/events.ts';
import { DISCONNECT_GRACE_MS } from '../../src/domain/presence.ts';
import { createApiClient } from '../support/client.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { buildReportedState, buildSample, pairDevice } from '../support/paired-device.ts';
import { openPlayerSocket } from '../support/player-socket.ts';
import { createCopy } from '../support/postgres-databases.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { startTestBucket } from '../support/test-bucket.ts';
import { ADMIN_KEY } from '../support/test-cloud.ts';

const clientOf = (node: Cloud, secret: string | null = ADMIN_KEY) =>
  createApiClient({ url: () => node.url, secret, beforeRequest: () => {} });

/** Nodes of one cloud, of which the first is the leader, and clients whose requests go to each of them in turn. */
async function startNodes(count = 3) {
  const database = await createCopy(inject('postgres')!, onTestFinished);
  const { settings: s3 } = await startTestBucket();
  const clock = createManualClock();
  const nodes: Cloud[] = [];
  for (let index = 0; index < count; index++) {
    const node = await startCloud({
      host: '127.0.0.1',
      port: 0,
      dataDir: tempDir(),
      database,
      s3,
      adminKey: ADMIN_KEY,
      publicUrl: 'http://signage.test',
      logLevel: 'fatal',
      minFreeBytes: 0,
      reserveBytes: 0,
      allowAddresses: ['127.0.0.1'],
      clock,
    });
    onTestFinished(() => node.close());
    nodes.push(node);
  }
  let requests = 0;
  const clientFor = (secret: string | null) =>
    createApiClient({
      url: () => nodes[requests++ % nodes.length]!.url,
      secret,
      beforeRequest: () => clock.advance(2500),
    });
  return { database, nodes, clock, clientFor, admin: clientFor(ADMIN_KEY) };
}

/** Returns a function that reads which devices each message publishes as connected, oldest message first. */
async function readPublishedSockets(url: string) {
  const db = await openPostgres(url);
  onTestFinished(() => db.destroy());
  return async (): Promise<string[][]> => {
    const messages = await db.selectFrom('node_messages').select('body').orderBy('seq').execute();
    const events: CloudEvent[] = messages.flatMap(({ body }) => JSON.parse(body).events);
    return events.flatMap((event) => (event.type === 'sockets_opened' ? [[...event.deviceIds]] : []));
  };
}

test('a screen pairs, plays and reports, whichever nodes its requests go to', async () => {
  const cloud = await startNodes();
  const screen = await pairDevice(cloud);
  for (let round = 0; round < 4; round++) {
    const name = `Name ${round}`;
    expect(await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { name })).toMatchObject({
      status: 200,
    });
    const manifest = await screen.client.get('/v1/player/manifest');
    expect(JSON.stringify(manifest.data)).toContain(name);
    const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
    expect(data).toMatchObject({ name, configuration: { manifest_revision: manifest.data.revision } });
  }
  const samples = [buildSample(new Date(cloud.clock.nowMs()).toISOString())];
  const state = buildReportedState();
  expect(await screen.client.post('/v1/player/heartbeats', { samples, state })).toMatchObject({
    status: 200,
  });
  const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
  expect(data.status).toBe('online');
});

test('a change on one node reaches the sockets of the others', async () => {
  const cloud = await startNodes();
  const screens = [await pairDevice(cloud), await pairDevice(cloud), await pairDevice(cloud)];
  const sockets = await Promise.all(
    screens.map(({ token }, index) => openPlayerSocket(cloud.nodes[index]!.url, token)),
  );
  for (const socket of sockets) {
    expect(await socket.next()).toMatchObject({ type: 'welcome' });
  }
  const first = clientOf(cloud.nodes[0]!);
  await first.patch('/v1/organization', { timezone: 'Asia/Tokyo' });
  for (const socket of sockets) {
    expect(await socket.next()).toMatchObject({ type: 'manifest_changed' });
  }
  const ids: string[] = [];
  for (const command of ['REFRESH', 'APP_RESTART'] as const) {
    const { data } = await first.post(`/v1/devices/${screens[1]!.deviceId}/commands`, { command });
    ids.push(data.id);
  }
  for (const id of ids) {
    expect(await sockets[1]!.next()).toMatchObject({ type: 'command', command: { id } });
  }
  await first.delete(`/v1/devices/${screens[2]!.deviceId}`);
  expect(await sockets[2]!.next()).toMatchObject({ type: 'unpaired' });
  for (const socket of sockets) {
    socket.close();
  }
});

test('a screen whose socket has moved to another node stays online until it is silent there', async () => {
  const cloud = await startNodes(2);
  const screen = await pairDevice(cloud);
  const statusOf = async () => (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.status;
  const sendHeartbeat = async (node: Cloud) => {
    const socket = await openPlayerSocket(node.url, screen.token);
    expect(await socket.next()).toMatchObject({ type: 'welcome' });
    socket.send({ type: 'heartbeat', seq: 1, samples: [], state: buildReportedState() });
    expect(await socket.next()).toMatchObject({ type: 'heartbeat_ack' });
    return socket;
  };
  const first = await sendHeartbeat(cloud.nodes[0]!);
  first.close();
  await first.closed;
  // Later than the first node has noticed.
  expect(await statusOf()).toBe('online');
  cloud.clock.advance(1000);
  const second = await sendHeartbeat(cloud.nodes[1]!);
  onTestFinished(() => second.close());
  // Longer than the grace of a socket that has closed. Each request advances the clock, and the nodes sweep.
  const untilMs = cloud.clock.nowMs() + 120_000;
  while (cloud.clock.nowMs() < untilMs) {
    expect(await statusOf()).toBe('online');
  }
  await eventually(async () => expect(await statusOf()).toBe('offline'));
  expect(second.socket.readyState).toBe(second.socket.OPEN);
});

test('a key that is revoked on one node is refused by the others at once', async () => {
  const cloud = await startNodes();
  const { data } = await cloud.admin.post('/v1/api-keys', { name: 'Reader', scope: 'Read' });
  const readers = cloud.nodes.map((node) => clientOf(node, data.key));
  for (const reader of readers) {
    expect(await reader.get('/v1/devices')).toMatchObject({ status: 200 });
  }
  await cloud.admin.delete(`/v1/api-keys/${data.id}`);
  for (const reader of readers) {
    expect(await reader.get('/v1/devices')).toMatchObject({ status: 401 });
  }
});

test('a rate limit counts the requests to all nodes exactly', async () => {
  const cloud = await startNodes();
  const { data } = await cloud.admin.post('/v1/api-keys', { name: 'Reader', scope: 'Read' });
  const readers = cloud.nodes.map((node) => clientOf(node, data.key));
  const first = await readers[0]!.get('/v1/devices');
  const limit = Number(first.headers.get('ratelimit-limit'));
  expect(limit).toBeGreaterThan(10);
  const replies = await Promise.all(
    Array.from({ length: limit + 20 }, (_, index) => readers[index % readers.length]!.get('/v1/devices')),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(limit - 1);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(21);
});

test('a webhook gets each event once and in order, also when the node that sends ends', async () => {
  const receiver = await startRecordingServer((_, response) => void response.end());
  onTestFinished(() => receiver.close());
  const cloud = await startNodes();
  await cloud.admin.post('/v1/webhooks', { url: receiver.url, events: ['playlist.updated'] });
  const { data } = await cloud.admin.post('/v1/playlists', { name: 'Window', mode: 'sequential' });
  const names = Array.from({ length: 12 }, (_, index) => `Name ${index}`);
  for (const [index, name] of names.entries()) {
    if (index === 6) {
      const [leader] = cloud.nodes.splice(0, 1);
      await leader!.close();
    }
    expect(await cloud.admin.patch(`/v1/playlists/${data.id}`, { name })).toMatchObject({ status: 200 });
  }
  await eventually(() => {
    // The jobs of the others, among them those of the leader.
    cloud.clock.advance(2500);
    expect(receiver.requests.length).toBeGreaterThanOrEqual(names.length);
  });
  expect(receiver.requests.map(({ body }) => JSON.parse(body).data.playlist.name)).toEqual(names);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(
    receiver.requests.length,
  );
});

test('an address may send 300 wrong keys a minute to all nodes together, and then test no other', async () => {
  const cloud = await startNodes();
  const key = await cloud.admin.post('/v1/api-keys', { name: 'Reader', scope: 'Read' });
  const used = cloud.nodes.map((node) => clientOf(node, key.data.key));
  for (const reader of [...used, ...cloud.nodes.map((node) => clientOf(node))]) {
    expect(await reader.get('/v1/devices')).toMatchObject({ status: 200 });
  }
  cloud.clock.advance(60_000);
  const statusesOf = (secretOf: (index: number) => string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const guessing = clientOf(cloud.nodes[index % cloud.nodes.length]!, secretOf(index));
        return (await guessing.get('/v1/devices')).status;
      }),
    );
  const generated = await statusesOf((index) => `plk_${String(index).padStart(43, 'x')}`, 150);
  expect(new Set(generated)).toEqual(new Set([401]));
  const chosen = await statusesOf((index) => `guess-${index}`, 200);
  expect(chosen.filter((status) => status === 401)).toHaveLength(150);
  expect(chosen.filter((status) => status === 429)).toHaveLength(50);
  for (const [index, reader] of used.entries()) {
    expect(await reader.get('/v1/devices'), `key in use, node ${index}`).toMatchObject({ status: 200 });
  }
  // A key that a person chose could be guessed: whether it was in use here is looked up 30 times a minute.
  for (const node of cloud.nodes) {
    expect(await clientOf(node).get('/v1/devices')).toMatchObject({ status: 429 });
  }
  cloud.clock.advance(60_000);
  expect(await clientOf(cloud.nodes[1]!, 'guess').get('/v1/devices')).toMatchObject({ status: 401 });
});

test('a newer socket closes the older one on another node at once', async () => {
  const cloud = await startNodes(2);
  const screen = await pairDevice(cloud);
  const publishedSockets = await readPublishedSockets(cloud.database);
  const connect = async (node: Cloud) => {
    const socket = await openPlayerSocket(node.url, screen.token);
    expect(await socket.next()).toMatchObject({ type: 'welcome' });
    return socket;
  };
  const replaced = { code: SOCKET_CLOSE.replaced, reason: 'replaced by a newer connection' };
  let newest = await connect(cloud.nodes[0]!);
  newest.send({ type: 'heartbeat', seq: 1, samples: [], state: buildReportedState() });
  expect(await newest.next()).toMatchObject({ type: 'heartbeat_ack' });
  // There and back again.
  for (const [index, node] of [1, 0, 1, 0].entries()) {
    await eventually(async () => expect(await publishedSockets()).toHaveLength(index + 1));
    const older = newest;
    newest = await connect(cloud.nodes[node]!);
    expect(await older.closed).toEqual(replaced);
  }
  // Longer than the grace of a socket that has closed: the nodes of the older ones do not count the screen as gone.
  const untilMs = cloud.clock.nowMs() + DISCONNECT_GRACE_MS + 15_000;
  while (cloud.clock.nowMs() < untilMs) {
    const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
    expect(data.status).toBe('online');
  }
  expect(newest.socket.readyState).toBe(newest.socket.OPEN);
  newest.close();
});

test('screens that connect to another node together are published in few messages', async () => {
  const cloud = await startNodes(2);
  const screens: Awaited<ReturnType<typeof pairDevice>>[] = [];
  for (let index = 0; index < 40; index++) {
    screens.push(await pairDevice(cloud));
  }
  const publishedSockets = await readPublishedSockets(cloud.database);
  const connectAll = async (node: Cloud) => {
    const before = (await publishedSockets()).flat().length;
    const sockets = await Promise.all(screens.map(({ token }) => openPlayerSocket(node.url, token)));
    await eventually(async () =>
      expect((await publishedSockets()).flat()).toHaveLength(before + screens.length),
    );
    return sockets;
  };
  const older = await connectAll(cloud.nodes[0]!);
  const newer = await connectAll(cloud.nodes[1]!);
  for (const { closed } of older) {
    expect(await closed).toMatchObject({ code: SOCKET_CLOSE.replaced });
  }
  expect((await publishedSockets()).length).toBeLessThan(screens.length);
  for (const socket of newer) {
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
    socket.close();
  }
});

test('a node without the bucket of the others is refused: its uploads would be missing on them', async () => {
  const { database, nodes } = await startNodes(1);
  const options = { host: '127.0.0.1', port: 0, database, logLevel: 'fatal' };
  await expect(startCloud({ ...options, dataDir: tempDir() })).rejects.toThrow(
    /^The media files of the database postgres:.* are not in .*all nodes that share a database need the same --blobs/,
  );
  expect((await clientOf(nodes[0]!).get('/v1/content')).status).toBe(200);
});
