import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { png, sampleMedia } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

let cloud: TestCloud;
let images: { id: string; name: string; url: string; thumbnail_url: string }[];
let video: { id: string };
beforeAll(async () => {
  cloud = await startTestCloud();
  images = [];
  for (let i = 0; i < 3; i++) {
    images.push((await cloud.admin.upload(await png(i), `${i}.png`)).data);
  }
  video = (await cloud.admin.upload(await sampleMedia('sample-waves-1280x720.mp4'), 'waves.mp4')).data;
});
afterAll(() => cloud.close());

const image = (index: number) => images[index]?.id ?? '';
const create = (body: Record<string, unknown>) => cloud.admin.post('/v1/playlists', { name: 'P', ...body });
const manifestOf = async (screen: PairedDevice) => (await screen.client.get('/v1/player/manifest')).data;
const baseOf = async (screen: PairedDevice) => (await manifestOf(screen)).base_playlist_id;
const ids = (playlist: { items: { id: string }[] }) => playlist.items.map((item) => item.id);

test('a playlist is created with its items, durations and total duration', async () => {
  const made = await create({
    mode: 'shuffle',
    items: [{ content_id: image(0) }, { content_id: video.id }, { content_id: image(1), duration: 25 }],
  });
  expect(made.status).toBe(201);
  expect(made.data).toMatchObject({ name: 'P', mode: 'shuffle', item_count: 3, total_duration: 10 + 6 + 25 });
  expect(made.data.items).toEqual([
    {
      id: expect.stringMatching(/^item_/),
      content_id: image(0),
      position: 0,
      duration: 10,
      weight: null,
      content: {
        name: '0.png',
        type: 'image',
        format: 'png',
        url: images[0]?.url,
        thumbnail_url: images[0]?.thumbnail_url,
      },
    },
    expect.objectContaining({ content_id: video.id, position: 1, duration: null }),
    expect.objectContaining({ position: 2, duration: 25 }),
  ]);
  const whole = { ...made.data, shown_elsewhere: false };
  expect((await cloud.admin.get(`/v1/playlists/${made.data.id}`)).data).toEqual(whole);
  const { items: _, ...summary } = made.data;
  expect((await cloud.admin.get('/v1/playlists?limit=1')).data).toEqual([summary]);
});

test('weights are required and validated when the mode is weighted', async () => {
  const item = { content_id: image(0) };
  const missing = await create({ mode: 'weighted', items: [{ ...item, weight: 3 }, item, item] });
  expect(missing.error?.details.map(({ path }: { path: string }) => path)).toEqual([
    'items.1.weight',
    'items.2.weight',
  ]);
  expect((await create({ items: [{ ...item, weight: 0 }] })).status).toBe(400);
  expect((await create({ items: [{ ...item, weight: 1001 }] })).status).toBe(400);
  expect((await create({ items: [{ ...item, duration: 0 }] })).status).toBe(400);
  expect((await create({ items: [{ ...item, duration: 86_401 }] })).status).toBe(400);
  expect((await create({ mode: 'random' })).status).toBe(400);

  const plain = (await create({ items: [item] })).data;
  expect((await cloud.admin.patch(`/v1/playlists/${plain.id}`, { mode: 'weighted' })).status).toBe(400);
  const items = [{ ...item, weight: 5 }];
  const weighted = await cloud.admin.patch(`/v1/playlists/${plain.id}`, { mode: 'weighted', items });
  expect(weighted.data).toMatchObject({ mode: 'weighted', items: [{ weight: 5 }] });
  const add = `/v1/playlists/${plain.id}/items`;
  expect((await cloud.admin.post(add, item)).error?.details).toEqual([
    { path: 'weight', message: 'is required when mode is weighted' },
  ]);
  expect((await cloud.admin.post(add, { ...item, weight: 1 })).status).toBe(201);
});

test('a missing weight is reported together with all other problems', async () => {
  const wrong = {
    name: ' ',
    mode: 'weighted',
    items: [{ content_id: image(0) }, { content_id: image(0), weight: null, duration: 0 }, 'no item'],
    color: 'red',
  };
  const paths = ['name', 'items.0.weight', 'items.1.weight', 'items.1.duration', 'items.2', 'color'];
  const id = (await create({ items: [] })).data.id;
  for (const said of [await create(wrong), await cloud.admin.patch(`/v1/playlists/${id}`, wrong)]) {
    const named = said.error?.details.map(({ path }: { path: string }) => path);
    expect(new Set(named)).toEqual(new Set(paths));
    expect(named).toHaveLength(paths.length);
  }
  expect((await create({ mode: 'weighted', items: 'none' })).error?.details).toHaveLength(1);
});

test('an item with content that does not exist is 404', async () => {
  const items = [{ content_id: 'asset_none' }];
  expect((await create({ items })).error?.code).toBe('CONTENT_NOT_FOUND');
  const made = (await create({})).data;
  expect((await cloud.admin.patch(`/v1/playlists/${made.id}`, { items })).error?.code).toBe(
    'CONTENT_NOT_FOUND',
  );
  expect((await cloud.admin.get(`/v1/playlists/${made.id}`)).data.items).toEqual([]);
});

test('items are replaced as a whole and keep their ids where possible', async () => {
  const made = (await create({ items: [{ content_id: image(0) }, { content_id: image(1) }] })).data;
  const patched = await cloud.admin.patch(`/v1/playlists/${made.id}`, {
    name: 'Renamed',
    items: [{ content_id: image(1) }, { content_id: image(2) }, { content_id: image(1) }],
  });
  expect(patched.data.name).toBe('Renamed');
  expect(patched.data.items.map((item: { content_id: string }) => item.content_id)).toEqual([
    image(1),
    image(2),
    image(1),
  ]);
  expect(ids(patched.data)[0], 'same content, same id').toBe(ids(made)[1]);
  const kept = await cloud.admin.patch(`/v1/playlists/${made.id}`, {
    items: [{ id: ids(patched.data)[2], content_id: image(0), duration: 3 }],
  });
  expect(kept.data.items).toEqual([expect.objectContaining({ id: ids(patched.data)[2], duration: 3 })]);
});

test('an item is added at its position and removed by its id', async () => {
  const made = (await create({ items: [{ content_id: image(0) }, { content_id: image(1) }] })).data;
  const path = `/v1/playlists/${made.id}/items`;
  const added = (await cloud.admin.post(path, { content_id: image(2), position: 1 })).data;
  expect(added.items.map((item: { content_id: string }) => item.content_id)).toEqual([
    image(0),
    image(2),
    image(1),
  ]);
  const last = (await cloud.admin.post(path, { content_id: image(2), position: 99 })).data;
  expect(last.items.at(-1)).toMatchObject({ content_id: image(2), position: 3 });

  const removed = await cloud.admin.delete(`${path}/${ids(added)[1]}`);
  expect(removed.data).toEqual({ id: ids(added)[1], deleted: true });
  expect((await cloud.admin.get(`/v1/playlists/${made.id}`)).data.items).toHaveLength(3);
  expect((await cloud.admin.delete(`${path}/${ids(added)[1]}`)).error?.code).toBe('ITEM_NOT_FOUND');
  expect((await cloud.admin.delete('/v1/playlists/pl_none/items/x')).error?.code).toBe('PLAYLIST_NOT_FOUND');
});

test('playlists can be listed by an asset that they have', async () => {
  const { id } = (await cloud.admin.upload(await png(77), 'listed.png')).data;
  await create({ name: 'Without', items: [{ content_id: image(0) }] });
  const { data: twice } = await create({ name: 'Twice', items: [{ content_id: id }, { content_id: id }] });
  const listed = await cloud.admin.get(`/v1/playlists?content_id=${id}`);
  expect(listed.data.map(({ id: each }: { id: string }) => each)).toEqual([twice.id]);
  expect((await cloud.admin.get('/v1/playlists?content_id=asset_unknown')).data).toEqual([]);
});

test('playlists can be searched by name', async () => {
  const made = (await create({ name: 'Findable 50%_x' })).data;
  expect((await cloud.admin.get('/v1/playlists?search=able%2050%25_')).data).toEqual([
    expect.objectContaining({ id: made.id }),
  ]);
});

test('a playlist that a schedule uses cannot be deleted', async () => {
  const made = (await create({})).data;
  const schedule = (
    await cloud.admin.post('/v1/schedules', {
      name: 'S',
      rules: [{ playlist_id: made.id, start_time: '08:00', end_time: '09:00', days: ['MON'] }],
    })
  ).data;
  const refused = await cloud.admin.delete(`/v1/playlists/${made.id}`);
  expect(refused.error).toMatchObject({
    code: 'PLAYLIST_IN_USE',
    details: { schedules: [{ id: schedule.id, name: 'S' }] },
  });
  await cloud.admin.delete(`/v1/schedules/${schedule.id}`);
  expect((await cloud.admin.delete(`/v1/playlists/${made.id}`)).data).toEqual({ id: made.id, deleted: true });
  expect((await cloud.admin.get(`/v1/playlists/${made.id}`)).error?.code).toBe('PLAYLIST_NOT_FOUND');
});

test('of several deployments that target a device, the newest wins', async () => {
  const store = (await cloud.admin.post('/v1/stores', { name: 'S' })).data;
  const screen = await pairDevice(cloud, { tags: ['a'], store_id: store.id });
  const [byTag, byStore, byDevice] = [
    (await create({ items: [{ content_id: image(0) }] })).data.id,
    (await create({ items: [{ content_id: image(1) }] })).data.id,
    (await create({ items: [{ content_id: image(2) }] })).data.id,
  ];
  const deploy = (playlist: string, targets: unknown[]) =>
    cloud.admin.post(`/v1/playlists/${playlist}/deploy`, { targets });
  await deploy(byDevice, [{ type: 'device', id: screen.deviceId }]);
  await deploy(byStore, [{ type: 'store', id: store.id }]);
  await deploy(byTag, [
    { type: 'tag', value: 'a' },
    { type: 'tag', value: 'b' },
  ]);
  expect(await baseOf(screen)).toBe(byTag);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { tags: [] });
  expect(await baseOf(screen)).toBe(byStore);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { store_id: null });
  expect(await baseOf(screen)).toBe(byDevice);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { tags: ['b'] });
  expect(await baseOf(screen)).toBe(byTag);
  await deploy(byStore, [{ type: 'tag', value: 'b' }]);
  expect(await baseOf(screen), 'the newer deployment replaces the one of the tag').toBe(byStore);
  await cloud.admin.delete(`/v1/playlists/${byStore}`);
  expect(await baseOf(screen)).toBe(byDevice);
});

test('deploying needs targets that exist, and warns when there is nothing to show', async () => {
  const empty = (await create({})).data;
  const deploy = (targets: unknown) => cloud.admin.post(`/v1/playlists/${empty.id}/deploy`, { targets });
  expect((await deploy([])).error?.code).toBe('VALIDATION_ERROR');
  expect((await deploy(undefined)).error?.code).toBe('VALIDATION_ERROR');
  expect((await deploy([{ type: 'device', id: 'dev_none' }])).error?.code).toBe('DEVICE_NOT_FOUND');
  expect((await deploy([{ type: 'store', id: 'store_none' }])).error?.code).toBe('STORE_NOT_FOUND');
  const answer = await deploy([{ type: 'tag', value: 'nobody yet' }]);
  expect(answer.status).toBe(202);
  expect(answer.data).toMatchObject({
    id: expect.stringMatching(/^dep_/),
    device_count: 0,
    manifest_revisions: {},
    warnings: [{ code: 'PLAYLIST_HAS_NO_PLAYABLE_CONTENT' }],
  });
  const path = '/v1/playlists/pl_none/deploy';
  expect((await cloud.admin.post(path, { targets: [{ type: 'tag', value: 'x' }] })).error?.code).toBe(
    'PLAYLIST_NOT_FOUND',
  );
});

test('a deployment pages through the devices that it reaches, until newer ones have its targets', async () => {
  const made = (await create({ items: [{ content_id: image(0) }] })).data;
  const { deviceId: one } = await pairDevice(cloud, { tags: ['paged'] });
  const { deviceId: two } = await pairDevice(cloud, { tags: ['paged'] });
  const { deviceId: other } = await pairDevice(cloud);
  const deploy = (targets: unknown) => cloud.admin.post(`/v1/playlists/${made.id}/deploy`, { targets });
  const tag = { type: 'tag', value: 'paged' };
  const device = { type: 'device', id: other };
  const { data: deployed } = await deploy([tag, device]);
  const path = `/v1/deployments/${deployed.id}`;
  const { data: whole } = await cloud.admin.get(path);
  expect(whole).toEqual({
    id: deployed.id,
    playlist_id: made.id,
    created_at: expect.any(String),
    targets: [device, tag],
    device_count: 3,
    manifest_revisions: deployed.manifest_revisions,
    manifest_revisions_meta: { page: 1, limit: 20, total: 3 },
  });
  const pages = await Promise.all([1, 2].map((page) => cloud.admin.get(`${path}?limit=2&page=${page}`)));
  expect(pages.map(({ data }) => Object.keys(data.manifest_revisions))).toEqual([
    [one, two, other].toSorted().slice(0, 2),
    [one, two, other].toSorted().slice(2),
  ]);

  await deploy([tag]);
  expect((await cloud.admin.get(path)).data).toMatchObject({ targets: [device], device_count: 1 });
  await deploy([device]);
  expect((await cloud.admin.get(path)).error?.code).toBe('DEPLOYMENT_NOT_FOUND');
});

test('changing a playlist changes the manifests that show it, renaming an asset changes none', async () => {
  const screen = await pairDevice(cloud);
  const made = (await create({ items: [{ content_id: image(0) }] })).data;
  await cloud.admin.post(`/v1/playlists/${made.id}/deploy`, {
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  const first = await manifestOf(screen);
  await cloud.admin.patch(`/v1/content/${image(0)}`, { name: 'Other name' });
  expect((await manifestOf(screen)).revision).toBe(first.revision);
  await cloud.admin.post(`/v1/playlists/${made.id}/items`, { content_id: image(1) });
  const second = await manifestOf(screen);
  expect(second.revision).not.toBe(first.revision);
  expect(second.assets).toHaveLength(2);
});
