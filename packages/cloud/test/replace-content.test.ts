import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addPerson } from './support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png, sampleMedia } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { append, begin, read } from './support/tus.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const HOUR_MS = 3_600_000;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const fetched = async (url: string) => hashOf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
let shade = 5000;
const add = async (bytes?: Uint8Array, fields: Record<string, string> = {}) =>
  (await cloud.admin.upload(bytes ?? (await png(shade++)), 'prices.png', fields)).data;
const get = async (id: string) => (await cloud.admin.get(`/v1/content/${id}`)).data;
const addPlaylist = async (name: string, items: object[], mode = 'sequential') =>
  (await cloud.admin.post('/v1/playlists', { name, mode, items })).data;
/** A screen that shows a playlist; what its manifest is. */
async function addScreen(playlistId: string) {
  const { deviceId, client } = await pairDevice(cloud);
  const targets = [{ type: 'device', id: deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlistId}/deploy`, { targets });
  return async () => (await client.get('/v1/player/manifest')).data;
}
const videoOf = (name = 'sample-waves-1280x720.mp4') => sampleMedia(name);

test('an asset gets another file in place of its own, and stays the same in all else', async () => {
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'Prices' })).data;
  const before = await add(undefined, { name: 'Price list', tags: 'menu,lunch', folder_id: folder.id });
  const etag = (await cloud.admin.get(`/v1/content/${before.id}`)).headers.get('etag');
  const bytes = await png(shade++, 320, 200);
  const replaced = await cloud.admin.replace(before.id, bytes);
  expect(replaced.status).toBe(200);
  const { warnings, ...data } = replaced.data;
  const { url, thumbnail_url, updated_at, ...after } = data;
  expect(warnings).toEqual([]);
  const { url: oldUrl, thumbnail_url: oldThumbnail, updated_at: _, ...kept } = before;
  expect(after).toEqual({ ...kept, width: 320, height: 200, size: bytes.length, sha256: hashOf(bytes) });
  expect(await get(before.id)).toEqual(data);
  expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  expect(await fetched(url)).toBe(hashOf(bytes));
  expect(await fetched(oldUrl), 'a player may still be fetching it').toBe(before.sha256);
  expect(thumbnail_url).not.toBe(oldThumbnail);
  expect((await fetch(thumbnail_url)).status).toBe(200);
  const answered = replaced.headers.get('etag') ?? '';
  expect(answered).not.toBe(etag);

  const events = (await cloud.admin.get(`/v1/events?resource=${before.id}`)).data;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['content.created', 'content.updated']);
  expect(events[1].data.content).toEqual(data);
  const [entry] = (await cloud.admin.get(`/v1/audit-log?resource_id=${before.id}`)).data;
  expect(entry).toMatchObject({ action: 'content.replaced', resource: { name: 'Price list' } });
  expect(entry.changes).toContainEqual({
    field: 'sha256',
    before: before.sha256,
    after: hashOf(bytes),
    truncated: false,
  });
  const same = await cloud.admin.call('PATCH', `/v1/content/${before.id}`, {}, { 'if-match': answered });
  expect(same.status, 'it is the ETag of what GET returns').toBe(200);
});

test('name, tags and folder change only when they are given with the file', async () => {
  const { id } = await add(undefined, { name: 'Old', tags: 'a' });
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'Other' })).data;
  const fields = { name: 'New', tags: 'b, c', folder_id: folder.id };
  const { data } = await cloud.admin.replace(id, await png(shade++), fields);
  expect(data).toMatchObject({ name: 'New', tags: ['b', 'c'], folder_id: folder.id });
  const refused = await cloud.admin.replace(id, await png(shade++), { folder_id: 'folder_none' });
  expect(refused.error?.code).toBe('FOLDER_NOT_FOUND');
  expect({ ...(await get(id)), warnings: [] }).toEqual(data);
});

test('every screen that shows it gets the new file, and no other screen is told anything', async () => {
  const [asset, other] = [await add(), await add()];
  const shown = await addPlaylist('Shows it', [{ content_id: other.id }, { content_id: asset.id }]);
  const screens = await Promise.all([addScreen(shown.id), addScreen(shown.id)]);
  const elsewhere = await addScreen((await addPlaylist('Other', [{ content_id: other.id }])).id);
  const before = await Promise.all(screens.map((manifest) => manifest()));
  const { revision } = await elsewhere();
  const bytes = await png(shade++);
  const { data } = await cloud.admin.replace(asset.id, bytes);
  for (const [index, manifest] of screens.entries()) {
    const after = await manifest();
    expect(after.revision).not.toBe(before[index].revision);
    expect(after.playlists).toEqual(before[index].playlists);
    const found = after.assets.find(({ id }: { id: string }) => id === asset.id);
    expect(found).toMatchObject({ sha256: hashOf(bytes), size: bytes.length, url: data.url });
  }
  expect((await elsewhere()).revision).toBe(revision);
  // What is read again for another reason has the new file as well.
  await cloud.admin.patch(`/v1/playlists/${shown.id}`, { name: 'Renamed' });
  expect((await screens[0]()).assets).toContainEqual(expect.objectContaining({ sha256: hashOf(bytes) }));
});

test('the old file is deleted an hour after nothing uses it any more', async () => {
  const own = await startTestCloud();
  onTestFinished(() => own.close());
  const old = (await own.admin.upload(await png(1), 'a.png')).data;
  const shared = (await own.admin.upload(await png(90), 'b.png')).data;
  const same = (await own.admin.upload(await png(90), 'c.png')).data;
  await own.restart(25 * HOUR_MS);
  await own.admin.replace(old.id, await png(160));
  await own.admin.replace(shared.id, await png(230));
  own.clock.advance(HOUR_MS - 4 * 2500);
  await own.restart();
  expect((await fetch(old.url)).status, 'a player may still be fetching it').toBe(200);
  own.clock.advance(HOUR_MS);
  await own.restart();
  // The clean-up runs when the cloud has become the leader, a moment after its start.
  await eventually(async () => {
    expect((await fetch(old.url)).status).toBe(404);
    expect((await fetch(old.thumbnail_url)).status).toBe(404);
  });
  expect((await fetch(same.url)).status, 'another asset has the same file').toBe(200);
  const { url } = (await own.admin.get(`/v1/content/${old.id}`)).data;
  expect((await fetch(url)).status).toBe(200);
});

test('with If-Match a file replaces only the one that was read', async () => {
  const { id } = await add();
  const etag = (await cloud.admin.get(`/v1/content/${id}`)).headers.get('etag') ?? '';
  const changed = (await cloud.admin.patch(`/v1/content/${id}`, { tags: ['other'] })).data;
  const replace = async (condition: string) =>
    cloud.admin.replace(id, await png(shade++), {}, { 'if-match': condition });
  expect((await replace(etag)).error).toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(/read it again/i),
  });
  expect((await replace('abc')).error?.details).toMatchObject([{ path: 'if-match' }]);
  expect(await get(id)).toEqual(changed);
  const now = (await cloud.admin.get(`/v1/content/${id}`)).headers.get('etag') ?? '';
  expect((await replace(now)).status).toBe(200);
});

test('an image replaces a video only where each item of it has a duration', async () => {
  const video = await add(await videoOf());
  expect(video).toMatchObject({ type: 'video', duration: 6 });
  const timed = await addPlaylist('Timed', [{ content_id: video.id, duration: 8 }]);
  const whole = await addPlaylist('Whole', [{ content_id: video.id }, { content_id: video.id, duration: 5 }]);
  const manifest = await addScreen(whole.id);
  const { revision } = await manifest();
  const refused = await cloud.admin.replace(video.id, await png(shade++));
  expect(refused.error).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('duration first: Whole'),
    details: {
      reason: 'duration_required',
      playlist_count: 1,
      playlists: [{ id: whole.id, name: 'Whole' }],
    },
  });
  expect([await get(video.id), (await manifest()).revision]).toEqual([video, revision]);
  const items = whole.items.map((item: object) => ({ ...item, duration: 4, content: undefined }));
  const patched = await cloud.admin.patch(`/v1/playlists/${whole.id}`, {
    items: items.map(({ id, content_id, duration }: Record<string, unknown>) => ({
      id,
      content_id,
      duration,
    })),
  });
  expect(patched.status).toBe(200);
  expect((await cloud.admin.replace(video.id, await png(shade++))).data).toMatchObject({
    id: video.id,
    type: 'image',
    format: 'png',
    duration: null,
  });
  expect((await cloud.admin.get(`/v1/playlists/${timed.id}`)).data).toMatchObject({
    total_duration: 8,
    items: [{ id: timed.items[0].id, duration: 8, content: { type: 'image', format: 'png' } }],
  });
});

test('a video replaces an image, and another video, of which a playlist shows all', async () => {
  const { id } = await add();
  const playlist = await addPlaylist('Clip', [{ content_id: id, duration: 7 }]);
  const video = await cloud.admin.replace(id, await videoOf());
  expect(video.data).toMatchObject({ id, type: 'video', format: 'mp4', duration: 6 });
  await cloud.admin.patch(`/v1/playlists/${playlist.id}`, {
    items: [{ content_id: id, duration: null }],
  });
  const manifest = await addScreen(playlist.id);
  const another = await cloud.admin.replace(id, await videoOf('sample-flowers-720x1280.mp4'));
  expect(another.data).toMatchObject({ type: 'video', width: 720, duration: 5 });
  expect((await cloud.admin.get(`/v1/playlists/${playlist.id}`)).data.total_duration).toBe(5);
  expect((await manifest()).assets).toMatchObject([{ id, sha256: another.data.sha256, type: 'video' }]);
});

test('what cannot replace a file leaves it as it is, and says why', async () => {
  const asset = await add();
  const refusal = async (bytes: Uint8Array, fields?: Record<string, string>) =>
    (await cloud.admin.replace(asset.id, bytes, fields)).error;
  expect(await refusal(Buffer.from('this is no picture'))).toMatchObject({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    details: { reason: 'unsupported_format' },
  });
  expect(await refusal(await png(shade++), { colour: 'red' })).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: 'colour', message: 'is not a known field' }],
  });
  const json = await cloud.admin.post(`/v1/content/${asset.id}/replace`, {});
  expect(json.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  expect((await cloud.admin.replace('asset_none', await png(shade++))).error?.code).toBe('CONTENT_NOT_FOUND');
  const made = await cloud.admin.post('/v1/api-keys', { name: 'R', scope: 'Read' });
  const reader = cloud.clientFor(made.data.key);
  expect((await reader.replace(asset.id, await png(shade++))).error?.code).toBe('INSUFFICIENT_SCOPE');
  expect(await get(asset.id)).toEqual(asset);
  expect((await cloud.admin.get(`/v1/events?resource=${asset.id}`)).data).toHaveLength(1);
});

test('the same file once more changes no screen and is not logged', async () => {
  const bytes = await png(shade++);
  const { id } = await add(bytes);
  const manifest = await addScreen((await addPlaylist('Same', [{ content_id: id }])).id);
  const { revision } = await manifest();
  expect((await cloud.admin.replace(id, bytes)).status).toBe(200);
  expect((await manifest()).revision).toBe(revision);
  const entries = (await cloud.admin.get(`/v1/audit-log?resource_id=${id}`)).data;
  expect(entries.map(({ action }: { action: string }) => action)).toEqual(['content.created']);
});

test('a repeated request with its key replaces once', async () => {
  const { id } = await add();
  const key = { 'idempotency-key': 'replace-once' };
  const bytes = await png(shade++);
  const first = await cloud.admin.replace(id, bytes, {}, key);
  const second = await cloud.admin.replace(id, bytes, {}, key);
  expect(second.data).toEqual(first.data);
  expect((await cloud.admin.replace(id, await png(shade++), {}, key)).error?.code).toBe('CONFLICT');
  expect((await get(id)).sha256).toBe(hashOf(bytes));
});

test('below the disk floor nothing is replaced', async () => {
  const full = await startTestCloud();
  onTestFinished(() => full.close());
  const asset = (await full.admin.upload(await png(1), 'a.png')).data;
  await full.restart(0, { minFreeBytes: 10 ** 15 });
  const refused = await full.admin.replace(asset.id, await png(2));
  expect(refused.error).toMatchObject({ code: 'INSUFFICIENT_STORAGE', details: { reason: 'below_floor' } });
  expect((await full.admin.get(`/v1/content/${asset.id}`)).data.sha256).toBe(asset.sha256);
});

test('a resumable upload that names an asset replaces its file', async () => {
  const asset = await add(undefined, { name: 'Price list', tags: 'menu' });
  const manifest = await addScreen((await addPlaylist('Large', [{ content_id: asset.id }])).id);
  const { revision } = await manifest();
  const bytes = await png(shade++, 400, 300);
  const begun = await begin(cloud.admin, bytes.length, { filename: 'new.png', replaces: asset.id });
  expect(begun.data).toMatchObject({ replaces: asset.id, asset_id: null });
  await append(cloud.admin, begun.data.id, 0, bytes.subarray(0, 50));
  expect(await get(asset.id)).toEqual(asset);
  const last = await append(cloud.admin, begun.data.id, 50, bytes.subarray(50));
  expect(last.headers.get('placard-asset')).toBe(asset.id);
  const after = await get(asset.id);
  expect(after).toMatchObject({ name: 'Price list', tags: ['menu'], sha256: hashOf(bytes), width: 400 });
  expect((await read(cloud.admin, begun.data.id)).data).toMatchObject({ state: 'finished', asset: after });
  expect((await manifest()).revision).not.toBe(revision);
  const events = (await cloud.admin.get(`/v1/events?resource=${asset.id}`)).data;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['content.created', 'content.updated']);
  const [entry] = (await cloud.admin.get(`/v1/audit-log?resource_id=${asset.id}`)).data;
  expect(entry).toMatchObject({
    action: 'content.replaced',
    request_id: begun.headers.get('x-request-id'),
  });
  const [field] = entry.changes.filter((each: { field: string }) => each.field === 'sha256');
  expect(field).toMatchObject({ before: asset.sha256, after: hashOf(bytes) });
});

test('a resumable upload in place of an asset that is gone fails, at its beginning or at its end', async () => {
  const bytes = await png(shade++);
  const none = await begin(cloud.admin, bytes.length, { replaces: 'asset_none' });
  expect(none.error?.code).toBe('CONTENT_NOT_FOUND');
  const { id } = await add();
  const begun = (await begin(cloud.admin, bytes.length, { replaces: id })).data;
  await cloud.admin.delete(`/v1/content/${id}`);
  expect((await append(cloud.admin, begun.id, 0, bytes)).error?.code).toBe('CONTENT_NOT_FOUND');
  expect((await read(cloud.admin, begun.id)).data).toMatchObject({
    state: 'failed',
    asset: null,
    error: { code: 'CONTENT_NOT_FOUND' },
  });
});

test('a person who is bound to stores replaces no file, which others may show', async () => {
  const store = (await cloud.admin.post('/v1/stores', { name: 'Own' })).data;
  const { client } = await addPerson(cloud, 'Editor', { stores: [store.id] });
  const asset = await add();
  const bytes = await png(shade++);
  expect((await client.replace(asset.id, bytes)).error?.code).toBe('STORE_NOT_ALLOWED');
  const refused = await begin(client, bytes.length, { replaces: asset.id });
  expect(refused.error?.code).toBe('STORE_NOT_ALLOWED');
  expect(await get(asset.id)).toEqual(asset);
  const editor = await addPerson(cloud, 'Editor');
  expect((await editor.client.replace(asset.id, bytes)).data.sha256).toBe(hashOf(bytes));
});
