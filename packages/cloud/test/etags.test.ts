import { operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';
import { buildReportedState, buildSample, pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { append, begin } from './support/tus.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const etagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? 'none';
const change = (path: string, body: unknown, etag: string) =>
  cloud.admin.call('PATCH', path, body, { 'if-match': etag });
const create = async (path: string, body: unknown) => (await cloud.admin.post(path, body)).data.id;

test('each resource has an ETag: 304 while it is the same, 412 for a change to an earlier one', async () => {
  const asset = (await cloud.admin.upload(await png(), 'a.png')).data;
  const resources: [path: string, change: object, other: object][] = [
    ['/v1/organization', { name: 'A' }, { name: 'B' }],
    [`/v1/content/${asset.id}`, { name: 'A' }, { name: 'B' }],
    [
      `/v1/content/folders/${await create('/v1/content/folders', { name: 'F' })}`,
      { name: 'A' },
      { name: 'B' },
    ],
    [`/v1/playlists/${await create('/v1/playlists', { name: 'P' })}`, { name: 'A' }, { mode: 'shuffle' }],
    [
      `/v1/schedules/${await create('/v1/schedules', { name: 'S', targets: [], rules: [] })}`,
      { name: 'A' },
      { targets: [{ type: 'tag', value: 'x' }] },
    ],
    [`/v1/stores/${await create('/v1/stores', { name: 'T' })}`, { name: 'A' }, { city: 'Ulm' }],
    [
      `/v1/webhooks/${await create('/v1/webhooks', { url: 'https://example.com', events: ['device.online'] })}`,
      { events: ['device.offline'] },
      { is_active: false },
    ],
    [
      `/v1/alert-rules/${await create('/v1/alert-rules', { name: 'R', condition: { type: 'offline', minutes: 5 } })}`,
      { name: 'A' },
      { is_active: false },
    ],
    [
      `/v1/devices/${(await pairDevice(cloud)).deviceId}`,
      { tags: ['a'] },
      { configuration: { menu_pin: '4711' } },
    ],
  ];
  for (const [path, mine, other] of resources) {
    const read = etagOf(await cloud.admin.get(path));
    expect((await cloud.admin.get(path, { 'if-none-match': `"x", W/${read}` })).status, path).toBe(304);
    const changed = await change(path, mine, read);
    expect([changed.status, etagOf(changed) === read], path).toEqual([200, false]);
    expect(await change(path, other, etagOf(changed)), path).toMatchObject({ status: 200 });
    const refused = await change(path, mine, read);
    expect(refused.error, path).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(/read it again/i),
    });
    const now = await cloud.admin.get(path, { 'if-none-match': read });
    expect([now.status, now.data], path).toEqual([
      200,
      expect.objectContaining('configuration' in other ? { tags: ['a'] } : other),
    ]);
    expect((await change(path, mine, '*')).status, path).toBe(200);
  }
  const path = resources[3]![0];
  const remove = (etag: string) => cloud.admin.call('DELETE', path, undefined, { 'if-match': etag });
  expect((await remove('"x"')).status).toBe(412);
  expect((await remove(etagOf(await cloud.admin.get(path)))).status).toBe(200);
  expect((await change(path, {}, '"x"')).error?.code).toBe('PLAYLIST_NOT_FOUND');
});

test('an If-Match that is not an ETag is 400, and says what one looks like', async () => {
  const path = `/v1/stores/${await create('/v1/stores', { name: 'S' })}`;
  const etag = etagOf(await cloud.admin.get(path));
  const bare = etag.replaceAll('"', '');
  for (const wrong of [
    bare,
    'abc',
    `'${bare}'`,
    `"${bare}`,
    `W/${bare}`,
    `w/${etag}`,
    '""x',
    `${etag} "a"`,
    '*, "a"',
  ]) {
    const { error } = await change(path, { name: 'New', colour: 'red' }, wrong);
    expect(error, wrong).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/ETag.*GET.*quotes.*and 1 more/),
    });
    expect(error?.details.map((each: { path: string }) => each.path)).toEqual(['if-match', 'colour']);
  }
  const removed = await cloud.admin.call('DELETE', path, undefined, { 'if-match': bare });
  expect(removed.error?.code).toBe('VALIDATION_ERROR');
  expect((await cloud.admin.get(path, { 'if-none-match': etag })).status, 'nothing changed').toBe(304);
});

test('If-Match has one ETag, several, or *; a weak one never matches', async () => {
  const path = `/v1/stores/${await create('/v1/stores', { name: 'S' })}`;
  const read = async () => etagOf(await cloud.admin.get(path));
  const weak = await change(path, { name: 'A' }, `W/${await read()}`);
  expect(weak.error).toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(/weak ETag.*without W\//),
  });
  const stale = await change(path, { name: 'A' }, 'W/"a", "b,c" , "*"');
  expect(stale.error).toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(/read it again/),
  });
  const lists = [
    (etag: string) => `"a",${etag}`,
    (etag: string) => ` ${etag} , W/"a"`,
    (etag: string) => `"x,y", W/${etag}, ${etag}`,
    () => ' * ',
  ];
  for (const listOf of lists) {
    const list = listOf(await read());
    expect((await change(path, { name: 'A' }, list)).status, list).toBe(200);
  }
});

test('every change of a resource with an ETag is described as one that can be 412', () => {
  const all: Operation[] = Object.values(operations);
  const tagged = new Set(
    all.flatMap(({ path, otherStatuses }) => (otherStatuses.includes(304) ? [path] : [])),
  );
  // Bytes of an upload have a condition of their own: their offset.
  const changes = all.filter(
    ({ method, path, bytes }) => ['PATCH', 'DELETE'].includes(method) && tagged.has(path) && !bytes,
  );
  expect(changes.length).toBeGreaterThan(15);
  expect(changes.filter(({ errors }) => !errors.includes('PRECONDITION_FAILED')).map(({ id }) => id)).toEqual(
    [],
  );
});

test('what a device reports does not stand in the way of a change to it, but is a new state', async () => {
  const { deviceId, client } = await pairDevice(cloud);
  const path = `/v1/devices/${deviceId}`;
  const read = etagOf(await cloud.admin.get(path));
  const samples = [buildSample(new Date(cloud.clock.nowMs()).toISOString())];
  await client.post('/v1/player/heartbeats', { samples, state: buildReportedState() });
  const later = await cloud.admin.get(path, { 'if-none-match': read });
  expect([later.status, later.data.status]).toEqual([200, 'online']);
  expect((await change(path, { name: 'Window' }, read)).status).toBe(200);
  expect((await change(path, { name: 'Door' }, read)).status).toBe(412);
});

test('what a resource reports of others does not stand in the way of a change to it, but is a new state', async () => {
  const asset = (await cloud.admin.upload(await png(2), 'c.png')).data;
  const items = [{ content_id: asset.id, duration: 7 }];
  const store = await create('/v1/stores', { name: 'S' });
  const paths = [
    `/v1/stores/${store}`,
    `/v1/content/${asset.id}`,
    `/v1/playlists/${await create('/v1/playlists', { name: 'P', items })}`,
  ];
  const before = [];
  for (const path of paths) {
    before.push({ path, etag: etagOf(await cloud.admin.get(path)) });
  }
  const { deviceId } = await pairDevice(cloud);
  await cloud.admin.patch(`/v1/devices/${deviceId}`, { store_id: store });
  // As a job does that makes one later.
  await cloud.inDatabase((db) => db.updateTable('assets').set({ thumbnail: 'later.webp' }).execute());
  for (const { path, etag } of before) {
    expect((await cloud.admin.get(path, { 'if-none-match': etag })).status, path).toBe(200);
    expect((await change(path, { name: 'Mine' }, etag)).status, path).toBe(200);
    expect((await change(path, { name: 'Late' }, etag)).status, path).toBe(412);
  }
});

test('commands, operations, deployments and uploads have an ETag: 304 until they change', async () => {
  const { deviceId, client } = await pairDevice(cloud);
  const command = await create(`/v1/devices/${deviceId}/commands`, { command: 'REFRESH' });
  const operation = await create('/v1/operations', {
    devices: { ids: [deviceId] },
    action: { type: 'add_tags', tags: ['a'] },
  });
  const playlist = await create('/v1/playlists', { name: 'P' });
  const deployment = await create(`/v1/playlists/${playlist}/deploy`, {
    targets: [{ type: 'tag', value: 'etag' }],
  });
  const upload = (await begin(cloud.admin, 1000)).data.id;
  await eventually(async () =>
    expect((await cloud.admin.get(`/v1/operations/${operation}`)).data.status).toBe('finished'),
  );
  const resources: [path: string, change?: () => Promise<unknown>][] = [
    [
      `/v1/commands/${command}`,
      () => client.post(`/v1/player/commands/${command}/status`, { status: 'acknowledged' }),
    ],
    [`/v1/operations/${operation}`],
    [`/v1/deployments/${deployment}`, () => cloud.admin.patch(`/v1/devices/${deviceId}`, { tags: ['etag'] })],
    [`/v1/content/uploads/${upload}`, () => append(cloud.admin, upload, 0, Buffer.alloc(10))],
  ];
  for (const [path, makeChange] of resources) {
    const etag = etagOf(await cloud.admin.get(path));
    expect((await cloud.admin.get(path, { 'if-none-match': etag })).status, path).toBe(304);
    await makeChange?.();
    const later = await cloud.admin.get(path, { 'if-none-match': etag });
    expect([later.status, etagOf(later) === etag], path).toEqual(makeChange ? [200, false] : [304, true]);
  }
  const path = `/v1/content/uploads/${upload}`;
  const remove = (etag: string) => cloud.admin.call('DELETE', path, undefined, { 'if-match': etag });
  expect((await remove('"x"')).status).toBe(412);
  expect((await remove(etagOf(await cloud.admin.get(path)))).status).toBe(204);
});

test('a playlist and a schedule are taken as they were read', async () => {
  const asset = (await cloud.admin.upload(await png(1), 'b.png')).data;
  const id = await create('/v1/playlists', {
    name: 'P',
    items: [{ content_id: asset.id, duration: 7 }, { content_id: asset.id }],
  });
  const { data: playlist } = await cloud.admin.get(`/v1/playlists/${id}`);
  const kept = await cloud.admin.patch(`/v1/playlists/${id}`, {
    ...playlist,
    items: playlist.items.toReversed(),
  });
  expect(kept.data.items).toEqual(
    playlist.items.toReversed().map((item: object, position: number) => ({ ...item, position })),
  );
  const schedule = await cloud.admin.post('/v1/schedules', {
    name: 'S',
    targets: [{ type: 'tag', value: 'x' }],
    rules: [{ playlist_id: id, start_time: '08:00', end_time: '09:00', days: ['MON'] }],
  });
  const read = (await cloud.admin.get(`/v1/schedules/${schedule.data.id}`)).data;
  expect((await cloud.admin.patch(`/v1/schedules/${read.id}`, read)).data).toEqual({
    ...read,
    updated_at: expect.any(String),
    warnings: [],
  });
});
