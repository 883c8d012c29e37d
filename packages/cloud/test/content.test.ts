import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { engineOf } from '../src/database/engine/engine-of.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

let shade = 1000;
const upload = async (fields: Record<string, string> = {}, name = 'a.png') =>
  (await cloud.admin.upload(await png(shade++), name, fields)).data;

test('content is listed by type, tag, folder and name', async () => {
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'Filter' })).data;
  const one = await upload({ name: 'Über 100%', tags: 'ft1', folder_id: folder.id });
  const two = await upload({ name: 'Under 100x', tags: 'ft1,ft2' });
  const ids = async (query: string) =>
    (await cloud.admin.get(`/v1/content?${query}`)).data.map((asset: { id: string }) => asset.id);
  expect(await ids('tag=ft1')).toEqual([two.id, one.id]);
  expect(await ids('tag=ft2')).toEqual([two.id]);
  expect(await ids(`folder_id=${folder.id}`)).toEqual([one.id]);
  expect(await ids('tag=ft1&folder_id=root')).toEqual([two.id]);
  expect(await ids('search=100%25')).toEqual([one.id]);
  expect(await ids('search=ÜBER')).toEqual([one.id]);
  expect(await ids('tag=ft1&type=video')).toEqual([]);
  expect(await ids('tag=ft1&limit=1&page=2')).toEqual([one.id]);
});

test('name, tags and folder of an asset can be changed', async () => {
  const asset = await upload({ tags: 'x' });
  const folder = (await cloud.admin.post('/v1/content/folders', { name: 'To' })).data;
  const patch = (body: unknown) => cloud.admin.patch(`/v1/content/${asset.id}`, body);
  expect((await patch({ name: 'New', tags: ['y', 'z'], folder_id: folder.id })).data).toMatchObject({
    name: 'New',
    tags: ['y', 'z'],
    folder_id: folder.id,
  });
  expect((await patch({ folder_id: null })).data.folder_id).toBeNull();
  expect((await patch({ folder_id: 'folder_none' })).error?.code).toBe('FOLDER_NOT_FOUND');
  expect((await patch({ colour: 1 })).error?.details).toEqual([
    { path: 'colour', message: 'is not a known field' },
  ]);
  expect((await cloud.admin.patch('/v1/content/asset_none', {})).error?.code).toBe('CONTENT_NOT_FOUND');
});

const idsIn = (shown: { assets: { id: string }[] }) => new Set(shown.assets.map(({ id }) => id));

test('deleting an asset changes the manifests that use it and notifies webhooks of its playlists', async () => {
  const [asset, other] = [await upload(), await upload()];
  const screen = await pairDevice(cloud);
  const playlist = (
    await cloud.admin.post('/v1/playlists', {
      name: 'On a screen',
      items: [{ content_id: asset.id }, { content_id: other.id }],
    })
  ).data;
  const targets = [{ type: 'device', id: screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  const manifest = async () => (await screen.client.get('/v1/player/manifest')).data;
  const before = await manifest();
  expect(idsIn(before)).toEqual(new Set([asset.id, other.id]));
  const hook = (
    await cloud.admin.post('/v1/webhooks', {
      url: 'https://hooks.example.invalid/',
      events: ['playlist.updated', 'content.deleted'],
    })
  ).data;
  await cloud.admin.delete(`/v1/content/${asset.id}`);
  const after = await manifest();
  expect(after.revision).not.toBe(before.revision);
  expect(idsIn(after)).toEqual(new Set([other.id]));
  const sent = (await cloud.admin.get(`/v1/webhooks/${hook.id}/deliveries`)).data;
  type Sent = { event: string; payload: { data: { playlist: { id: string; items: unknown[] } } } };
  expect(sent.map(({ event }: Sent) => event).toSorted()).toEqual(['content.deleted', 'playlist.updated']);
  const payloadPlaylist = sent.find(({ event }: Sent) => event === 'playlist.updated').payload.data.playlist;
  expect(payloadPlaylist).toMatchObject({ id: playlist.id, items: [{ content_id: other.id }] });
});

test('deleting an asset removes it from playlists, and the response lists them', async () => {
  const [asset, other] = [await upload(), await upload()];
  const playlist = (
    await cloud.admin.post('/v1/playlists', {
      name: 'Holds both',
      items: [asset, other, asset].map(({ id }) => ({ content_id: id })),
    })
  ).data;
  const removed = await cloud.admin.delete(`/v1/content/${asset.id}`);
  expect(removed.data).toEqual({
    id: asset.id,
    deleted: true,
    playlists: [{ id: playlist.id, name: 'Holds both' }],
  });
  const left = (await cloud.admin.get(`/v1/playlists/${playlist.id}`)).data.items;
  expect(left).toEqual([expect.objectContaining({ content_id: other.id, position: 0 })]);
  expect((await cloud.admin.get(`/v1/content/${asset.id}`)).error?.code).toBe('CONTENT_NOT_FOUND');
  expect((await cloud.admin.delete(`/v1/content/${asset.id}`)).error?.code).toBe('CONTENT_NOT_FOUND');
});

const NO_NEW_ITEMS = {
  sqlite: {
    forbid: sql`create trigger no_insert before insert on playlist_items
      begin select raise(abort, 'an item was written anew'); end`,
    allow: sql`drop trigger no_insert`,
  },
  postgres: {
    forbid: sql`do $$ begin
      create function no_insert() returns trigger language plpgsql
        as 'begin raise exception ''an item was written anew''; end';
      create trigger no_insert before insert on playlist_items execute function no_insert();
    end $$`,
    allow: sql`drop function no_insert() cascade`,
  },
};

test('deleting an asset does not rewrite the other items of its playlists', async () => {
  const [asset, other, third] = [await upload(), await upload(), await upload()];
  const make = async (...shown: { id: string }[]) => {
    const items = shown.map(({ id }, n) => ({ content_id: id, duration: n + 5, weight: n + 1 }));
    return (await cloud.admin.post('/v1/playlists', { name: 'P', items })).data;
  };
  const made = [
    await make(asset, asset, other, asset, third, other, asset),
    await make(other, third),
    await make(third, asset),
    await make(asset),
  ];
  await cloud.inDatabase(async (db) => {
    const { forbid, allow } = NO_NEW_ITEMS[engineOf(db).name];
    await forbid.execute(db);
    try {
      expect((await cloud.admin.delete(`/v1/content/${asset.id}`)).status).toBe(200);
    } finally {
      await allow.execute(db);
    }
  });
  type Shown = { id: string; content_id: string };
  for (const before of made) {
    const { items, updated_at } = (await cloud.admin.get(`/v1/playlists/${before.id}`)).data;
    const left = before.items.filter((item: Shown) => item.content_id !== asset.id);
    expect(items).toEqual(left.map((item: Shown, position: number) => ({ ...item, position })));
    expect(updated_at === before.updated_at).toBe(left.length === before.items.length);
  }
});

const path = (folder: { id: string }) => `/v1/content/folders/${folder.id}`;

test('folders nest without cycles, and only empty folders can be deleted', async () => {
  const make = async (name: string, parent_id: string | null) =>
    (await cloud.admin.post('/v1/content/folders', { name, parent_id })).data;
  const top = await make('Top', null);
  const middle = await make('Middle', top.id);
  const leaf = await make('Leaf', middle.id);
  expect((await cloud.admin.get(path(leaf))).data).toEqual(leaf);
  expect((await cloud.admin.patch(path(top), { parent_id: leaf.id })).error?.code).toBe('CONFLICT');
  expect((await cloud.admin.patch(path(top), { parent_id: top.id })).error?.code).toBe('CONFLICT');
  expect((await cloud.admin.patch(path(leaf), { parent_id: null, name: 'Free' })).data).toMatchObject({
    parent_id: null,
    name: 'Free',
  });
  expect((await cloud.admin.delete(path(top))).error).toMatchObject({
    code: 'FOLDER_NOT_EMPTY',
    details: { assets: 0, folders: 1 },
  });
  const asset = await upload({ folder_id: middle.id });
  expect((await cloud.admin.delete(path(middle))).error?.code).toBe('FOLDER_NOT_EMPTY');
  await cloud.admin.delete(`/v1/content/${asset.id}`);
  for (const folder of [middle, top]) {
    expect((await cloud.admin.delete(path(folder))).status).toBe(200);
  }
  expect((await cloud.admin.get(path(top))).error?.code).toBe('FOLDER_NOT_FOUND');
  expect(
    (await cloud.admin.post('/v1/content/folders', { name: 'X', parent_id: 'folder_none' })).error?.code,
  ).toBe('FOLDER_NOT_FOUND');
  expect((await cloud.admin.get('/v1/content/folders?limit=1')).data).toHaveLength(1);
});

test('the content host serves only files, with ranges and validators', async () => {
  const bytes = await png(7, 500, 500);
  const { data } = await cloud.admin.upload(bytes, 'r.png');
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(data.url, { headers, method });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const whole = await get();
  expect(whole.bytes.equals(bytes)).toBe(true);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    etag: `"${data.sha256}"`,
  });
  const middle = await get({ range: 'bytes=10-19' });
  expect([middle.status, middle.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`]);
  expect(middle.bytes.equals(bytes.subarray(10, 20))).toBe(true);
  expect((await get({ range: 'bytes=-5' })).bytes.equals(bytes.subarray(-5))).toBe(true);
  expect((await get({ range: `bytes=${bytes.length - 3}-` })).bytes).toHaveLength(3);
  expect((await get({ range: 'bytes=5-999999' })).bytes).toHaveLength(bytes.length - 5);
  const wide = await get({ range: 'bytes=1-99999999999999999999' });
  expect([wide.status, wide.bytes.length], 'cut to the size of the file').toEqual([206, bytes.length - 1]);
  const beyond = await get({ range: `bytes=${bytes.length}-` });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
  expect((await get({ range: 'bytes=0-4', 'if-range': '"other"' })).status).toBe(200);
  expect((await get({ range: 'bytes=0-4', 'if-range': `"${data.sha256}"` })).status).toBe(206);
  expect((await get({ range: 'lines=1-2' })).status).toBe(200);
  expect((await get({ 'if-none-match': `"${data.sha256}"` })).status).toBe(304);
  const head = await get({}, 'HEAD');
  expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
    200,
    String(bytes.length),
    0,
  ]);
  for (const name of [`${'0'.repeat(64)}.png`, `${data.sha256}.html`, '..%2f..%2fcloud.sqlite', 'x']) {
    expect((await cloud.clientFor(null).get(`/cdn/${name}`)).error?.code, name).toBe('CONTENT_NOT_FOUND');
  }
});

const HOUR_MS = 3_600_000;
const statusesOf = async (asset: { url: string; thumbnail_url: string }) => [
  (await fetch(asset.url)).status,
  (await fetch(asset.thumbnail_url)).status,
];

test('files are deleted an hour after the last asset that references them, however old they are', async () => {
  // The clean-up first runs an hour after each start, and stopping waits for it.
  const own = await startTestCloud();
  onTestFinished(() => own.close());
  const add = async (bytes: Buffer) => (await own.admin.upload(bytes, 'a.png')).data;
  const shared = await png(8);
  const [gone, stays, lone] = [await add(shared), await add(shared), await add(await png(18))];
  await own.restart(25 * HOUR_MS);
  for (const { id } of [gone, lone]) {
    await own.admin.delete(`/v1/content/${id}`);
  }
  own.clock.advance(HOUR_MS - 2 * 2500);
  await own.restart();
  expect(await statusesOf(lone), 'a player may still be downloading it').toEqual([200, 200]);
  own.clock.advance(HOUR_MS);
  await own.restart();
  expect(await statusesOf(lone)).toEqual([404, 404]);
  expect(await statusesOf(stays), 'another asset references the same file').toEqual([200, 200]);
});

test('no file is deleted while a newer version has migrated the database, which may use it', async () => {
  const own = await startTestCloud();
  onTestFinished(() => own.close());
  const { data: asset } = await own.admin.upload(await png(28), 'a.png');
  const db = await own.openDb();
  onTestFinished(() => db.destroy());
  await own.restart(25 * HOUR_MS);
  await own.admin.delete(`/v1/content/${asset.id}`);
  const newer = '9999-expand-colours';
  await sql`insert into kysely_migration (name, timestamp) values (${newer}, '2027-01-01')`.execute(db);
  own.clock.advance(2 * HOUR_MS);
  await own.restart();
  expect(await statusesOf(asset)).toEqual([200, 200]);
  await sql`delete from kysely_migration where name = ${newer}`.execute(db);
  own.clock.advance(2 * HOUR_MS);
  await own.restart();
  expect(await statusesOf(asset)).toEqual([404, 404]);
});
