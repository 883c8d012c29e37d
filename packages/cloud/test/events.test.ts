import { eventType, notificationOf } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { openEventStream } from './support/event-stream.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import { startRecordingServer } from './support/recording-server.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { fillQueue } from './support/waiting-deliveries.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud({ allowAddresses: ['127.0.0.1'] });
});
afterAll(() => cloud.close());

const list = (query = '') => cloud.admin.get(`/v1/events${query}`);
/** The cursor behind what has happened so far. */
const now = async (): Promise<string> => (await list('?cursor=latest')).meta.next_cursor;
const createPlaylist = async (name: string) =>
  (await cloud.admin.post('/v1/playlists', { name, mode: 'sequential', items: [] })).data;
/** Names of the playlists in events. */
const namesOf = (events: unknown[]) =>
  JSON.stringify(events).match(/(?<="playlist":\{"id":"\w+","name":")[^"]*/g) ?? [];

test('each change is an event as documented, in the order of the changes', async () => {
  const playlist = await createPlaylist('First of all');
  const start = await now();
  const { deviceId, client } = await pairDevice(cloud);
  await cloud.admin.patch(`/v1/devices/${deviceId}`, { name: 'Window' });
  const current = {
    playlist_id: playlist.id,
    item_id: 'item_1',
    content_id: 'asset_1',
    since: new Date(cloud.clock.nowMs()).toISOString(),
  };
  const beat = (state: Record<string, unknown>) =>
    client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState(state) });
  await beat({});
  await beat({ current });
  // Another item of the same playlist is no event.
  await beat({ current: { ...current, item_id: 'item_2', content_id: 'asset_2' } });
  const command = (await cloud.admin.post(`/v1/devices/${deviceId}/commands`, { command: 'REFRESH' })).data;
  await beat({ current: { ...current, rule_id: 'rule_1', schedule_id: 'sch_1' } });
  const report = (status: string) => client.post(`/v1/player/commands/${command.id}/status`, { status });
  await report('acknowledged');
  await report('succeeded');
  await beat({ current: null });
  await cloud.admin.delete(`/v1/devices/${deviceId}`);

  const { data: events, meta } = await list(`?cursor=${start}&limit=100`);
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'device.paired',
    'device.updated',
    'device.online',
    'device.now_playing',
    'command.created',
    'device.now_playing',
    'command.delivered',
    'command.acknowledged',
    'command.finished',
    'device.now_playing',
    'device.removed',
  ]);
  for (const event of events) {
    expect(notificationOf(eventType.parse(event.type)).strict().safeParse(event).error).toBeUndefined();
    expect(event.resource).toBe(deviceId);
  }
  const shown = events.filter(({ type }: { type: string }) => type === 'device.now_playing');
  expect(shown.map(({ data }: { data: { now_playing: unknown } }) => data.now_playing)).toMatchObject([
    { playlist_id: playlist.id, schedule_id: null, rule_id: null, content_id: 'asset_1' },
    { playlist_id: playlist.id, schedule_id: 'sch_1', rule_id: 'rule_1' },
    null,
  ]);
  expect(meta).toEqual({ limit: 100, next_cursor: events.at(-1).id, has_more: false });
});

test('a reader that keeps its cursor gets each event once; it may ask for some types or one resource', async () => {
  const start = await now();
  const made = [];
  for (const name of ['A', 'B', 'C']) {
    made.push(await createPlaylist(name));
  }
  await cloud.admin.patch(`/v1/playlists/${made[1].id}`, { name: 'B2' });
  const readAll = async (query: string) => {
    const events = [];
    let cursor = start;
    let part;
    do {
      part = await list(`?cursor=${cursor}&limit=1${query}`);
      events.push(...part.data);
      cursor = part.meta.next_cursor;
      expect(part.headers.get('link')).toBe(
        `<${cloud.cloud.publicUrl}/v1/events?cursor=${cursor}&limit=1${query}>; rel="next"`,
      );
    } while (part.meta.has_more);
    expect((await list(`?cursor=${cursor}${query}`)).data).toEqual([]);
    return namesOf(events);
  };
  expect(await readAll('')).toEqual(['A', 'B', 'C', 'B2']);
  expect(await readAll('&types=playlist.created')).toEqual(['A', 'B', 'C']);
  expect(await readAll('&types=device.*')).toEqual([]);
  expect(await readAll(`&types=playlist.*&resource=${made[1].id}`)).toEqual(['B', 'B2']);
  const since = new Date(Date.parse(made[2].created_at) - 1).toISOString();
  expect(namesOf((await list(`?since=${since}`)).data)).toEqual(['C', 'B2']);
  expect((await list('?since=2100-01-01')).data).toEqual([]);
});

const openAfter = (lastEventId: string) => openEventStream(cloud.cloud.url, { key: ADMIN_KEY, lastEventId });

test('a cursor that is not one, or no longer kept, is refused with what to do', async () => {
  const start = await now();
  expect((await list('?cursor=42')).error?.details).toEqual([
    { path: 'cursor', message: 'must be `latest`, or the id of an event, which begins with evt_' },
  ]);
  expect((await list('?types=device.exploded')).error?.details).toMatchObject([
    { message: expect.stringContaining('device.*, ') },
  ]);
  expect((await list(`?cursor=${start}&since=2026-01-01`)).error?.code).toBe('VALIDATION_ERROR');
  expect((await list('?cursor=evt_0000000000000000000000000z')).error).toMatchObject({
    code: 'EVENT_CURSOR_EXPIRED',
    message: expect.stringContaining('cursor=latest'),
  });
  expect((await openAfter('evt_0000000000000000000000000z')).status).toBe(410);
  expect((await openAfter('x')).status).toBe(400);
});

test('events older than seven days are deleted', async () => {
  await createPlaylist('Old');
  const old = await now();
  cloud.clock.advance(7 * 86_400_000 + 120_000);
  await createPlaylist('New');
  await eventually(async () => {
    cloud.clock.advance(60_000);
    expect((await list(`?cursor=${old}`)).error?.code).toBe('EVENT_CURSOR_EXPIRED');
  });
  expect(namesOf((await list()).data)).toEqual(['New']);
});

/** On several nodes the others ask for new events once a second. */
const arrived = (check: () => void) =>
  eventually(() => {
    cloud.clock.advance(1_000);
    check();
  });

test('a stream sends what happens, and continues where the last one was cut', async () => {
  const key = await cloud.createKey('Read');
  const open = (lastEventId?: string) =>
    openEventStream(cloud.cloud.url, { key, ...(lastEventId === undefined ? {} : { lastEventId }) });
  await createPlaylist('Before');
  const start = await now();
  const stream = await open();
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.headers.get('x-request-id')).not.toBeNull();
  expect(stream.headers.get('ratelimit-limit')).not.toBeNull();
  await createPlaylist('One');
  await createPlaylist('Two');
  await arrived(() => expect(stream.events).toHaveLength(2));
  expect(stream.events).toMatchObject([
    { event: 'playlist.created', data: { data: { playlist: { name: 'One' } } } },
    { id: stream.events[1]?.data.id, data: { data: { playlist: { name: 'Two' } } } },
  ]);
  expect(stream.others[0]).toBe(`: ${start}\nid: ${start}\nretry: 2000`);
  stream.close();

  await createPlaylist('Three');
  await cloud.restart();
  const next = await open(stream.events[0]?.id);
  await createPlaylist('Four');
  await arrived(() => expect(namesOf(next.events)).toEqual(['Two', 'Three', 'Four']));
  const some = await openEventStream(cloud.cloud.url, {
    key,
    query: `?cursor=${stream.events[0]?.id}&types=playlist.updated,device.*`,
  });
  const { id } = await createPlaylist('Five');
  await cloud.admin.patch(`/v1/playlists/${id}`, { name: 'Six' });
  await arrived(() => expect(some.events.map(({ event }) => event)).toEqual(['playlist.updated']));
});

/** What a consumer keeps that was sent no event yet. */
const lastIdOf = (others: string[]) => /^id: (.*)$/m.exec(others.toReversed().join('\n'))?.[1] ?? '';

test('a consumer that is cut before its first event misses nothing, also of a log that was empty', async () => {
  const young = await startTestCloud();
  onTestFinished(() => young.close());
  const open = (lastEventId = '') =>
    openEventStream(young.cloud.url, { key: ADMIN_KEY, query: '?types=playlist.created', lastEventId });
  const missed = ['First of all', 'Second'];
  for (const name of missed) {
    const stream = await open();
    await eventually(() => expect(lastIdOf(stream.others)).not.toBe(''));
    stream.close();
    await young.admin.post('/v1/playlists', { name, mode: 'sequential', items: [] });
    const next = await open(lastIdOf(stream.others));
    await eventually(() => expect(namesOf(next.events)).toEqual([name]));
  }
  const { data } = await young.admin.get('/v1/events?cursor=latest');
  expect(data).toEqual([]);
});

test('a stream that wants nothing of what happens tells how far it has read', async () => {
  const stream = await openEventStream(cloud.cloud.url, { key: ADMIN_KEY, query: '?types=upload.*' });
  await createPlaylist('Not wanted');
  const read = await now();
  await eventually(() => {
    cloud.clock.advance(15_000);
    expect(lastIdOf(stream.others)).toBe(read);
  });
  stream.close();
  await createPlaylist('While away');
  const next = await openEventStream(cloud.cloud.url, { key: ADMIN_KEY, lastEventId: read });
  await eventually(() => expect(namesOf(next.events)).toEqual(['While away']));
});

test('a stream gets a comment every 15 seconds, and ends soon after its key is revoked', async () => {
  const made = (await cloud.admin.post('/v1/api-keys', { name: 'Screen wall', scope: 'Read' })).data;
  const stream = await openEventStream(cloud.cloud.url, { key: made.key });
  await eventually(() => {
    cloud.clock.advance(15_000);
    expect(stream.others).toContain(':');
  });
  await cloud.admin.delete(`/v1/api-keys/${made.id}`);
  let hasEnded = false;
  void stream.ended.then(() => (hasEnded = true));
  await eventually(() => {
    // The next look begins only when the one before has ended.
    cloud.clock.advance(15_000);
    expect(hasEnded).toBe(true);
  });
  expect((await openEventStream(cloud.cloud.url, { key: made.key })).status).toBe(401);
});

test('a webhook gets what it missed, and can tell what it already has', async () => {
  const receiver = await startRecordingServer((_request, response) => response.writeHead(204).end());
  const since = new Date(cloud.clock.nowMs()).toISOString();
  await createPlaylist('Missed');
  await createPlaylist('Also missed');
  const hook = (await cloud.admin.post('/v1/webhooks', { url: receiver.url, events: ['playlist.created'] }))
    .data;
  await createPlaylist('Received');
  const received = (): { id: string; data: { playlist: { name: string } } }[] =>
    receiver.requests.map(({ body }) => JSON.parse(body));
  const arrive = (count: number) =>
    eventually(() => {
      cloud.clock.advance(5_000);
      expect(receiver.requests).toHaveLength(count);
    });
  await arrive(1);
  const replay = (query: string) => cloud.admin.post(`/v1/webhooks/${hook.id}/replay${query}`);
  const replayed = await replay(`?since=${since}`);
  expect(replayed).toMatchObject({
    status: 202,
    data: { queued: 3, has_more: false, next_cursor: await now() },
  });
  await arrive(4);
  const [first, ...others] = received();
  expect(namesOf(others)).toEqual(['Missed', 'Also missed', 'Received']);
  expect(others[2]).toEqual(first);
  expect((await replay(`?cursor=${others[0]?.id}`)).data).toMatchObject({ queued: 2 });
  await arrive(6);
  expect((await replay('')).error?.details).toMatchObject([{ path: 'since' }]);
  expect((await cloud.admin.post('/v1/webhooks/whk_none/replay?since=2026-01-01')).error?.code).toBe(
    'WEBHOOK_NOT_FOUND',
  );
  await cloud.admin.delete(`/v1/webhooks/${hook.id}`);
  await receiver.close();
});

test('a replay stops at the first event that the queue of the webhook has no room for, and goes on there', async () => {
  const since = new Date(cloud.clock.nowMs()).toISOString();
  for (const name of ['First', 'Second', 'Third']) {
    await createPlaylist(name);
  }
  // Nothing is sent while it is not active.
  const hook = { url: 'https://example.com/hook', events: ['playlist.created'], is_active: false };
  const { id } = (await cloud.admin.post('/v1/webhooks', hook)).data;
  const replay = (query: string) => cloud.admin.post(`/v1/webhooks/${id}/replay${query}`);
  const queued = async () => {
    const { data } = await cloud.admin.get(`/v1/webhooks/${id}/deliveries?limit=3`);
    return data.map(
      ({ status, payload }: { status: string; payload: { data: { playlist?: { name: string } } } }) =>
        [status, payload.data.playlist?.name].join(' '),
    );
  };
  const empty = await fillQueue(cloud, id, 1);
  const first = (await replay(`?since=${since}`)).data;
  expect(first).toMatchObject({ queued: 1, has_more: true });
  const full = await replay(`?cursor=${first.next_cursor}`);
  expect([full.status, full.error?.details, full.headers.get('retry-after')]).toEqual([
    429,
    { reason: 'too_many_deliveries' },
    '5',
  ]);
  expect(await queued()).toEqual(['pending First', 'pending ', 'pending ']);
  await empty();
  const rest = (await replay(`?cursor=${first.next_cursor}`)).data;
  expect(rest).toEqual({ queued: 2, has_more: false, next_cursor: await now() });
  expect((await queued()).toSorted()).toEqual(['pending First', 'pending Second', 'pending Third']);
  expect((await replay(`?cursor=${rest.next_cursor}`)).data).toEqual({ ...rest, queued: 0 });
  await cloud.admin.delete(`/v1/webhooks/${id}`);
});
