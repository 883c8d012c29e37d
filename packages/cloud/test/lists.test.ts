import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from './support/browser.ts';
import { png } from './support/media.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const create = async (name: string): Promise<string> =>
  (await cloud.admin.post('/v1/stores', { name })).data.id;
const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

const upload = async (fields: Record<string, string>) =>
  (await cloud.admin.upload(await png(0, 64 + 8 * (fields['name'] ?? '').length), 'a.png', fields)).data;

/** The rows of all parts of a list, by cursor. */
async function readByCursor(path: string, between: (part: number) => Promise<void> = async () => {}) {
  const rows = [];
  let cursor = 'first';
  for (let part = 1; ; part++) {
    const { data, meta } = await cloud.admin.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
    rows.push(...data);
    // It is null exactly at the end.
    expect(meta.next_cursor === null).toBe(!meta.has_more);
    if (!meta.has_more) {
      return rows;
    }
    cursor = meta.next_cursor;
    await between(part);
  }
}

test('a list that is read by cursor neither repeats nor skips rows while others are added and removed', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `stable ${letter}`);
  const ids: string[] = [];
  for (const name of names) {
    ids.unshift(await create(name));
  }
  const [newest = '', second = ''] = ids;
  const rows = await readByCursor('/v1/stores?search=stable&limit=2', async (part) => {
    if (part === 1) {
      // The rows of the part that was read are gone, and newer ones are there.
      await cloud.admin.delete(`/v1/stores/${newest}`);
      await cloud.admin.delete(`/v1/stores/${second}`);
      await create('stable h');
    }
  });
  expect(idsOf(rows)).toEqual(ids);
});

test('a list by cursor links to its next part, counts nothing, and ends with has_more false', async () => {
  await create('linked');
  await create('linked');
  const first = await cloud.admin.get('/v1/stores?search=linked&limit=1&cursor=first');
  expect(first.meta).toEqual({ limit: 1, next_cursor: expect.any(String), has_more: true });
  const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect(new URL(link).searchParams.get('cursor')).toBe(first.meta.next_cursor);
  const last = await cloud.admin.get(link.slice(cloud.cloud.url.length));
  expect(last.meta).toEqual({ limit: 1, next_cursor: null, has_more: false });
  expect(last.headers.get('link')).toBeNull();
  expect(last.data[0].id).not.toBe(first.data[0].id);
});

const LISTS = [
  'devices',
  'content',
  'content/folders',
  'playlists',
  'schedules',
  'stores',
  'commands',
  'tags',
  'deployments',
  'rollouts',
  'alert-rules',
  'alerts',
  'webhooks',
  'api-keys',
  'audit-log',
  'timeline',
];

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a cursor that is not one of the list is rejected, and the error says what to do', async () => {
  const foreign = (await cloud.admin.get('/v1/stores?limit=1&cursor=first')).meta.next_cursor;
  for (const list of LISTS) {
    expect((await cloud.admin.get(`/v1/${list}?cursor=first&page=2`)).error?.details).toEqual([
      { path: 'page', message: 'cannot be sent together with cursor' },
    ]);
    const table =
      { content: 'assets', tags: 'tag_counts', timeline: 'devices', 'alert-rules': 'alert_rules' }[list] ??
      list;
    const bad = [
      'x',
      '%20',
      'a'.repeat(2001),
      encode([table, '-created_at', 1]),
      encode([table, '-created_at', 1.5, 'x']),
      encode([table, '-created_at', 'x', 'x']),
      encode([table, '-created_at', 1, 'x\0']),
      encode([table, '-created_at', 1, '\ud800']),
      encode({ table }),
      ...(list === 'stores' ? [] : [foreign]),
    ];
    for (const cursor of bad) {
      const { status, error } = await cloud.admin.get(`/v1/${list}?cursor=${cursor}`);
      expect([status, error?.code, error?.details[0].path], `${list} ${cursor}`).toEqual([
        400,
        'VALIDATION_ERROR',
        'cursor',
      ]);
      expect(error?.details[0].message).toMatch(/first/);
    }
  }
  const ofOtherSort = await cloud.admin.get(`/v1/stores?sort=name&cursor=${foreign}`);
  expect(ofOtherSort.error?.details[0].message).toContain('with this sort');
});

test('lists are sorted by name, without regard to the case of A–Z, or by time, by page and by cursor', async () => {
  const wanted = ['Sort alpha', 'sort Beta', 'Sort beta', 'sort gamma', 'sort Ärger', 'sort ärger'];
  for (const name of wanted.toReversed()) {
    await create(name);
    await cloud.admin.post('/v1/playlists', { name });
    await cloud.admin.post('/v1/schedules', { name });
    await pairDevice(cloud, { name });
    await upload({ name });
  }
  for (const list of ['stores', 'playlists', 'schedules', 'devices', 'content']) {
    const read = async (query: string) => {
      const path = `/v1/${list}?search=sort&${query}`;
      const { data } = await cloud.admin.get(`${path}&limit=100`);
      const names = data.map(({ name }: { name: string }) => name);
      const byCursor = await readByCursor(`${path}&limit=2`);
      expect(
        byCursor.map(({ name }) => name),
        path,
      ).toEqual(names);
      return { names, data };
    };
    const byName = (await read('sort=name')).names;
    expect(
      byName.map((name: string) => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())),
      list,
    ).toEqual(wanted.map((name) => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())));
    expect((await read('sort=-name')).names, list).toEqual(byName.toReversed());
    expect((await read('sort=created_at')).names, list).toEqual(wanted.toReversed());
    expect((await read('')).names, list).toEqual(wanted);
    const [oldest] = (await read('sort=updated_at')).data;
    await cloud.admin.patch(`/v1/${list}/${oldest.id}`, { name: `${oldest.name} (sort)` });
    expect((await read('sort=-updated_at')).data[0].id, list).toBe(oldest.id);
    expect((await cloud.admin.get(`/v1/${list}?sort=id`)).status).toBe(400);
  }
  const sizes = (await readByCursor('/v1/content?sort=size&limit=2')).map(({ size }) => size);
  expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => a - b));
});

test('devices are found by the code of a fault until they no longer report it', async () => {
  const device = await pairDevice(cloud);
  const report = (codes: string[]) =>
    device.client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({
        faults: codes.map((code) => ({ code, since: '2026-11-20T08:00:00.000Z' })),
      }),
    });
  const found = async (code: string) => {
    const { data, meta } = await cloud.admin.get(`/v1/devices?fault=${code}`);
    expect(meta.total).toBe(data.length);
    expect(idsOf((await cloud.admin.get(`/v1/devices?fault=${code}&cursor=first`)).data)).toEqual(
      idsOf(data),
    );
    return idsOf(data);
  };
  await report(['disk.full', 'cloud.busy']);
  expect([await found('disk.full'), await found('cloud.busy'), await found('disk')]).toEqual([
    [device.deviceId],
    [device.deviceId],
    [],
  ]);
  await report(['cloud.busy']);
  expect([await found('disk.full'), await found('cloud.busy')]).toEqual([[], [device.deviceId]]);
  await report([]);
  expect(await found('cloud.busy')).toEqual([]);
  await report(['disk.full']);
  await cloud.admin.delete(`/v1/devices/${device.deviceId}`);
  expect(await found('disk.full')).toEqual([]);
});

test('devices are found by whether they show the manifest that they should', async () => {
  const devices = [await pairDevice(cloud), await pairDevice(cloud), await pairDevice(cloud)];
  const [behind, current, none] = devices.map(({ deviceId }) => deviceId);
  for (const [index, { client }] of devices.slice(0, 2).entries()) {
    const { data } = await client.get('/v1/player/manifest');
    const applied = index === 0 ? 'another' : data.revision;
    await client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({ applied_manifest_revision: applied }),
    });
  }
  const found = async (revision: string) =>
    new Set(
      idsOf(await readByCursor(`/v1/devices?revision=${revision}&limit=1`)).filter((id) =>
        devices.some(({ deviceId }) => deviceId === id),
      ),
    );
  expect(await found('behind')).toEqual(new Set([behind, none]));
  expect(await found('current')).toEqual(new Set([current]));
  const start = await cloud.admin.get('/v1/devices?revision=current');
  expect(start.meta, 'also without a cursor').toEqual({ limit: 20, next_cursor: null, has_more: false });
  await cloud.admin.patch(`/v1/devices/${current}`, { name: 'With another manifest' });
  expect(await found('current')).toEqual(new Set());
  const paged = await cloud.admin.get('/v1/devices?revision=behind&page=2');
  expect(paged.error?.details[0]).toMatchObject({ path: 'page' });
});

test('devices are counted by status, fault and version, of all stores or those of a person', async () => {
  const counts = async (client = cloud.admin) => (await client.get('/v1/devices/counts')).data;
  const store_id = (await cloud.admin.post('/v1/stores', { name: 'Counted' })).data.id;
  const person = await addPerson(cloud, 'Viewer', { stores: [store_id] });
  expect(await counts(person.client)).toEqual({
    total: 0,
    online: 0,
    offline: 0,
    behind: 0,
    faults: [],
    player_versions: [],
  });
  const before = await counts();
  const devices = [
    await pairDevice(cloud, { store_id }),
    await pairDevice(cloud, { store_id }),
    await pairDevice(cloud),
  ];
  const report = async (index: number, version: string, codes: string[], applied: string | null) =>
    devices[index]!.client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({
        player_version: version,
        applied_manifest_revision: applied,
        faults: codes.map((code) => ({ code, since: '2026-11-20T08:00:00.000Z' })),
      }),
    });
  const manifest = (await devices[0]!.client.get('/v1/player/manifest')).data;
  await report(0, '9.9.1', ['counted.one', 'counted.two'], manifest.revision);
  await report(1, '9.9.2', ['counted.one'], 'another');
  // What was compared is kept for a minute.
  cloud.clock.advance(61_000);
  const ofPerson = await counts(person.client);
  expect(ofPerson).toMatchObject({ total: 2, online: 2, offline: 0, behind: 1 });
  expect(ofPerson.faults).toEqual([
    { code: 'counted.one', devices: 2 },
    { code: 'counted.two', devices: 1 },
  ]);
  expect(new Set(ofPerson.player_versions)).toEqual(
    new Set([
      { player_version: '9.9.1', devices: 1 },
      { player_version: '9.9.2', devices: 1 },
    ]),
  );
  const all = await counts();
  expect([all.total, all.online + all.offline]).toEqual([before.total + 3, all.total]);
  expect(all.faults).toEqual(expect.arrayContaining(ofPerson.faults));
  expect(all.player_versions).toEqual(expect.arrayContaining(ofPerson.player_versions));
});

const counted = (tag: string, devices: number, content: number, schedules: number) => ({
  tag,
  devices,
  content,
  schedules,
});

test('tags in use are listed with the number of devices, files and schedules that have them', async () => {
  const device = await pairDevice(cloud, { tags: ['tag one', 'Tag two'] });
  const other = await pairDevice(cloud, { tags: ['tag one'] });
  const asset = await upload({ tags: 'tag one,tag three' });
  const targets = [
    { type: 'tag', value: 'tag one' },
    { type: 'tag', value: 'tag four' },
    { type: 'device', id: device.deviceId },
  ];
  const schedule = (await cloud.admin.post('/v1/schedules', { name: 'Tagged', targets })).data.id;
  const read = async () => {
    const { data, meta } = await cloud.admin.get('/v1/tags?search=TAG');
    expect(meta.total).toBe(data.length);
    expect(await readByCursor('/v1/tags?search=TAG&limit=1')).toEqual(data);
    return data;
  };
  expect(await read()).toEqual([
    counted('tag four', 0, 0, 1),
    counted('tag one', 2, 1, 1),
    counted('tag three', 0, 1, 0),
    counted('Tag two', 1, 0, 0),
  ]);
  await cloud.admin.patch(`/v1/devices/${device.deviceId}`, { tags: ['tag one', 'tag three'] });
  await cloud.admin.patch(`/v1/schedules/${schedule}`, { targets: targets.slice(0, 1) });
  expect(await read()).toEqual([counted('tag one', 2, 1, 1), counted('tag three', 1, 1, 0)]);
  await cloud.admin.delete(`/v1/devices/${device.deviceId}`);
  await cloud.admin.delete(`/v1/content/${asset.id}`);
  expect(await read()).toEqual([counted('tag one', 1, 0, 1)]);
  await cloud.admin.delete(`/v1/schedules/${schedule}`);
  await cloud.admin.delete(`/v1/devices/${other.deviceId}`);
  expect(await read()).toEqual([]);
});

test('deployments in force are listed by playlist, and by the device that they reach', async () => {
  const store = await create('Deployed');
  const { deviceId } = await pairDevice(cloud, { store_id: store, tags: ['deployed'] });
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'Base' })).data;
  const other = (await cloud.admin.post('/v1/playlists', { name: 'Other' })).data;
  const deploy = async (id: string, targets: unknown[]): Promise<string> =>
    (await cloud.admin.post(`/v1/playlists/${id}/deploy`, { targets })).data.id;
  const toTag = await deploy(playlist.id, [
    { type: 'tag', value: 'deployed' },
    { type: 'tag', value: 'elsewhere' },
  ]);
  const toStore = await deploy(other.id, [{ type: 'store', id: store }]);
  const elsewhere = await deploy(other.id, [{ type: 'tag', value: 'elsewhere' }]);
  const { data } = await cloud.admin.get(`/v1/deployments?playlist_id=${playlist.id}`);
  expect(data).toEqual([
    {
      id: toTag,
      playlist_id: playlist.id,
      playlist_name: 'Base',
      created_at: expect.any(String),
      targets: [{ type: 'tag', value: 'deployed' }],
    },
  ]);
  expect(idsOf((await cloud.admin.get(`/v1/deployments?device_id=${deviceId}`)).data)).toEqual([
    toStore,
    toTag,
  ]);
  expect(idsOf(await readByCursor('/v1/deployments?limit=1'))).toEqual([elsewhere, toStore, toTag]);
  expect((await cloud.admin.get('/v1/deployments?device_id=dev_none')).error?.code).toBe('DEVICE_NOT_FOUND');
});
