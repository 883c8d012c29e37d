import type { ServerResponse } from 'node:http';
import { notificationOf } from '@placard/protocol/api';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startRecordingServer } from './support/recording-server.ts';
import type { RecordingServer } from './support/recording-server.ts';
import { png } from './support/media.ts';
import { pairDevice, buildReportedState } from './support/paired-device.ts';

let cloud: TestCloud;
let receiver: RecordingServer;
beforeAll(async () => {
  receiver = await startRecordingServer((_request, response) => response.writeHead(204).end());
  cloud = await startTestCloud({ allowAddresses: ['127.0.0.1'] });
});
afterAll(async () => {
  await cloud.close();
  await receiver.close();
});
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.respond = (_request, response) => response.writeHead(204).end();
});

const create = async (events: string[], path = '/hook') =>
  (await cloud.admin.post('/v1/webhooks', { url: receiver.url + path, events })).data;
const received = (path = '/hook') =>
  receiver.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body));
const deliveries = async (id: string, query = '') =>
  (await cloud.admin.get(`/v1/webhooks/${id}/deliveries${query}`)).data;
/** Advances the clock until the condition holds. */
const advanceUntil = (condition: () => void | Promise<void>) =>
  eventually(async () => {
    cloud.clock.advance(5000);
    await condition();
  });

test('a webhook shows its secret once, and can be read, changed and deleted', async () => {
  const made = await create(['device.online', 'device.online']);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^whk_/),
    events: ['device.online'],
    is_active: true,
    secret: expect.stringMatching(/^whsec_/),
  });
  const { secret: _, ...shown } = made;
  const path = `/v1/webhooks/${made.id}`;
  expect((await cloud.admin.get(path)).data).toEqual(shown);
  expect((await cloud.admin.get('/v1/webhooks?limit=1')).data).toEqual([shown]);
  const changed = await cloud.admin.patch(path, { is_active: false, events: ['content.created'] });
  expect(changed.data).toMatchObject({ is_active: false, events: ['content.created'] });
  expect((await cloud.admin.delete(path)).data).toEqual({ id: made.id, deleted: true });
  for (const answer of [
    await cloud.admin.get(path),
    await cloud.admin.patch(path, {}),
    await cloud.admin.delete(path),
    await cloud.admin.post(`${path}/test`),
    await cloud.admin.post(`${path}/rotate-secret`),
    await cloud.admin.get(`${path}/deliveries`),
    await cloud.admin.post(`${path}/deliveries/x/retry`),
  ]) {
    expect(answer.error?.code).toBe('WEBHOOK_NOT_FOUND');
  }
});

const post = (body: unknown) => cloud.admin.post('/v1/webhooks', body);

test('forbidden addresses and unknown events are rejected', async () => {
  const url = 'https://example.com/hook';
  expect((await post({ url, events: [] })).status).toBe(400);
  expect((await post({ url: 'ftp://example.com', events: [], is_active: 1 })).error?.details).toHaveLength(3);
  expect((await post({ url, events: ['device.exploded'] })).status).toBe(400);
  for (const bad of [
    'ftp://example.com',
    'x',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://u:p@example.com/',
  ]) {
    expect((await post({ url: bad, events: ['device.online'] })).error?.code, bad).toBe('VALIDATION_ERROR');
  }
});

/** Verifies the last delivery with an independent library. */
function verify(secret: string): unknown {
  const { body, headers } = receiver.requests.at(-1)!;
  const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  // The verifier uses the system clock.
  vi.setSystemTime(Number(headers['webhook-timestamp']) * 1000);
  try {
    return new Webhook(secret).verify(body, signed);
  } finally {
    vi.useRealTimers();
  }
}

test('an independent verifier accepts the signature, also during a rotation', async () => {
  const made = await create(['content.created']);
  const upload = async (shade: number) => (await cloud.admin.upload(await png(shade), 'x.png')).data;
  const asset = await upload(1);
  await advanceUntil(() => expect(received()).toHaveLength(1));
  expect(verify(made.secret)).toEqual({
    id: expect.stringMatching(/^evt_/),
    resource: asset.id,
    type: 'content.created',
    timestamp: asset.created_at,
    data: { content: asset },
  });
  const rotated = (await cloud.admin.post(`/v1/webhooks/${made.id}/rotate-secret`)).data;
  expect(rotated.secret).not.toBe(made.secret);
  await upload(2);
  await advanceUntil(() => expect(received()).toHaveLength(2));
  expect(() => verify(rotated.secret)).not.toThrow();
  expect(() => verify(made.secret)).not.toThrow();
  cloud.clock.advance(24 * 3_600_000);
  await upload(3);
  await advanceUntil(() => expect(received()).toHaveLength(3));
  expect(() => verify(rotated.secret)).not.toThrow();
  expect(() => verify(made.secret)).toThrow('No matching signature');
  await cloud.admin.delete(`/v1/webhooks/${made.id}`);
});

test('every event type is sent to the webhooks that subscribe to it', async () => {
  const events = [
    'device.paired',
    'device.online',
    'device.offline',
    'device.removed',
    'device.alert',
    'content.created',
    'content.deleted',
    'playlist.created',
    'playlist.updated',
    'playlist.deleted',
    'playlist.deployed',
    'schedule.activated',
    'schedule.deactivated',
    'schedule.changed',
    'command.finished',
    'rollout.created',
    'rollout.stopped',
    'rollout.deleted',
  ];
  const all = await create(events, '/all');
  const some = await create(['playlist.created'], '/some');
  const screen = await pairDevice(cloud);
  const asset = (await cloud.admin.upload(await png(9), 'x.png')).data;
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'P', items: [{ content_id: asset.id }] }))
    .data;
  await cloud.admin.patch(`/v1/playlists/${playlist.id}`, { name: 'Q' });
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, {
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  const schedule = (await cloud.admin.post('/v1/schedules', { name: 'S' })).data;
  await cloud.admin.post(`/v1/schedules/${schedule.id}/deactivate`);
  await cloud.admin.post(`/v1/schedules/${schedule.id}/activate`);
  const rollout = (await cloud.admin.post('/v1/rollouts', { version: '99.0.0' })).data;
  await cloud.admin.post(`/v1/rollouts/${rollout.id}/stop`);
  await cloud.admin.delete(`/v1/rollouts/${rollout.id}`);
  const command = (await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, { command: 'REFRESH' }))
    .data;
  const fault = { code: 'disk.full', since: new Date(cloud.clock.nowMs()).toISOString() };
  const beat = () =>
    screen.client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({ faults: [fault] }),
    });
  await beat();
  await beat();
  await screen.client.post(`/v1/player/commands/${command.id}/status`, { status: 'succeeded' });
  await cloud.admin.delete(`/v1/playlists/${playlist.id}`);
  await cloud.admin.delete(`/v1/content/${asset.id}`);
  cloud.clock.advance(180_000);
  await advanceUntil(() => expect(received('/all').map(({ type }) => type)).toContain('device.offline'));
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);

  await advanceUntil(() => {
    const types: string[] = received('/all').map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(events));
    expect(
      types.filter((type) => type === 'device.alert'),
      'once as long as the fault lasts',
    ).toHaveLength(1);
  });
  for (const body of received('/all')) {
    expect(body, 'has the documented fields and no others').toEqual(notificationOf(body.type).parse(body));
  }
  expect(received('/some').map(({ type }) => type)).toEqual(['playlist.created']);
  const ofPlaylist = received('/all').filter(({ type }) =>
    /^playlist\.(created|updated|deleted)$/.test(type),
  );
  expect(ofPlaylist.map(({ data }) => [data.playlist.id, data.playlist.items.length])).toEqual(
    Array.from({ length: 3 }, () => [playlist.id, 1]),
  );
  for (const hook of [all, some]) {
    await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
  }
});

test('a receiver that was down gets all events in order after it returns', async () => {
  const hook = await create(['playlist.created', 'playlist.updated'], '/late');
  receiver.respond = (_request, response) => response.writeHead(503).end();
  const playlist = (await cloud.admin.post('/v1/playlists', { name: '0' })).data;
  for (const name of ['1', '2', '3']) {
    await cloud.admin.patch(`/v1/playlists/${playlist.id}`, { name });
  }
  await advanceUntil(async () => {
    const [oldest] = (await deliveries(hook.id, '?status=pending')).toReversed();
    expect(oldest).toMatchObject({ attempts: 3, response_status: 503, status: 'pending' });
  });
  receiver.requests.length = 0;
  receiver.respond = (_request, response) => response.writeHead(200).end('fine');
  cloud.clock.advance(300_000);
  await advanceUntil(() =>
    expect(received('/late').map(({ data }) => data.playlist.name)).toEqual(['0', '1', '2', '3']),
  );
  await advanceUntil(async () => expect(await deliveries(hook.id, '?status=succeeded')).toHaveLength(4));
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
});

test('after ten attempts over three days a delivery fails, and can be retried manually', async () => {
  const hook = await create(['device.paired'], '/never');
  receiver.respond = (_request, response) => response.writeHead(500).end();
  await cloud.admin.post(`/v1/webhooks/${hook.id}/test`);
  const startedMs = cloud.clock.nowMs();
  await eventually(async () => {
    const [{ next_attempt_at: next }] = await deliveries(hook.id);
    if (next) {
      cloud.clock.advance(Math.max(5000, Date.parse(next) - cloud.clock.nowMs()));
    }
    expect((await deliveries(hook.id))[0]).toMatchObject({ status: 'failed', attempts: 10 });
  });
  expect(received('/never')).toHaveLength(10);
  const days = (cloud.clock.nowMs() - startedMs) / 86_400_000;
  expect(days).toBeGreaterThan(2.5);
  expect(days).toBeLessThan(3.5);

  receiver.respond = (_request, response) => response.writeHead(204).end();
  const [failed] = await deliveries(hook.id);
  const retried = await cloud.admin.post(`/v1/webhooks/${hook.id}/deliveries/${failed.id}/retry`);
  expect([retried.status, retried.data.status]).toEqual([202, 'pending']);
  await advanceUntil(async () => expect((await deliveries(hook.id))[0].status).toBe('succeeded'));
  expect(receiver.requests.at(-1)?.headers['webhook-id']).toBe(failed.id);
  const none = await cloud.admin.post(`/v1/webhooks/${hook.id}/deliveries/dlv_none/retry`);
  expect(none.error?.code).toBe('DELIVERY_NOT_FOUND');
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
});

test('status 410 deactivates the webhook', async () => {
  const hook = await create(['device.paired'], '/gone');
  receiver.respond = (_request, response) => response.writeHead(410).end();
  await cloud.admin.post(`/v1/webhooks/${hook.id}/test`);
  await advanceUntil(async () => {
    const { data } = await cloud.admin.get(`/v1/webhooks/${hook.id}`);
    expect(data).toMatchObject({ is_active: false, disabled_reason: expect.stringContaining('410') });
  });
  expect((await deliveries(hook.id))[0]).toMatchObject({ status: 'failed', response_status: 410 });
  const on = await cloud.admin.patch(`/v1/webhooks/${hook.id}`, { is_active: true });
  expect(on.data).toMatchObject({ is_active: true, disabled_reason: null });
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
});

test('redirects are not followed, and count as a failure', async () => {
  const hook = await create(['device.paired'], '/moved');
  receiver.respond = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
  await cloud.admin.post(`/v1/webhooks/${hook.id}/test`);
  await advanceUntil(async () => expect((await deliveries(hook.id))[0].response_status).toBe(307));
  expect(received('/elsewhere')).toEqual([]);
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
});

test('events stored before a crash are sent after the next start', async () => {
  const hook = await create(['content.created'], '/restart');
  receiver.respond = (_request, response) => response.writeHead(500).end();
  await cloud.admin.upload(await png(33), 'x.png');
  await cloud.restart();
  receiver.requests.length = 0;
  receiver.respond = (_request, response) => response.writeHead(204).end();
  await advanceUntil(() => expect(received('/restart')).toHaveLength(1));
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
});

test('a delivery that is on its way when the cloud stops is finished, and not sent again', async () => {
  const hook = await create(['content.created'], '/stopping');
  const unanswered: ServerResponse[] = [];
  receiver.respond = (_request, response) => void unanswered.push(response);
  await cloud.admin.upload(await png(34), 'x.png');
  await advanceUntil(() => expect(received('/stopping')).toHaveLength(1));
  const { url } = cloud.cloud;
  const restarted = cloud.restart();
  // It takes no more requests.
  await eventually(() => expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed'));
  unanswered.forEach((response) => response.writeHead(204).end());
  await restarted;
  await advanceUntil(async () =>
    expect(await deliveries(hook.id)).toEqual([
      expect.objectContaining({ status: 'succeeded', attempts: 1 }),
    ]),
  );
  expect(received('/stopping')).toHaveLength(1);
});

test('deliveries are listed for 30 days', async () => {
  const hook = await create(['device.paired'], '/month');
  await cloud.admin.post(`/v1/webhooks/${hook.id}/test`);
  await advanceUntil(async () => expect((await deliveries(hook.id))[0].status).toBe('succeeded'));
  cloud.clock.advance(29 * 86_400_000);
  await advanceUntil(async () => expect(await deliveries(hook.id)).toHaveLength(1));
  cloud.clock.advance(86_400_000);
  await advanceUntil(async () => expect(await deliveries(hook.id)).toEqual([]));
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
});
