import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { apiKeyRepository } from './api-keys.ts';
import { assetRepository } from './assets.ts';
import type { Db } from './db.ts';
import { deploymentRepository } from './deployments.ts';
import { deviceRepository } from './devices.ts';
import { folderRepository } from './folders.ts';
import { idempotentResponseRepository } from './idempotent-responses.ts';
import { organizationRepository } from './organization.ts';
import { playlistRepository } from './playlists.ts';
import { presenceRepository } from './presence.ts';
import { scheduleRepository } from './schedules.ts';
import type { NewRow } from './schema.ts';
import { storeRepository } from './stores.ts';

let db: Db;
beforeEach(async () => {
  db = await openTestDb();
});

/** A time beyond 32 bits. */
const NOW = Date.UTC(2026, 0, 1);
const all = { page: 1, limit: 100 };
const times = { created_at: NOW, updated_at: NOW };
const noPause = async () => {};

const insertAsset = (id: string, values: Partial<NewRow<'assets'>> = {}, tags: string[] = []) =>
  assetRepository(db).insert(
    {
      id,
      name: id,
      type: 'image',
      format: 'png',
      width: 1,
      height: 1,
      size: 5_000_000_000,
      duration: null,
      sha256: `sha of ${id}`,
      thumbnail: null,
      thumbnail_fault: null,
      folder_id: null,
      ...times,
      ...values,
    },
    tags,
  );
const insertStore = (id: string, name = id) => storeRepository(db).insert({ id, name, tags: '[]', ...times });
const insertPlaylist = (id: string) =>
  playlistRepository(db).insert({ id, name: id, mode: 'sequential', ...times });

const findStores = async (search: string) =>
  (await storeRepository(db).list({ ...all, search })).rows.map(({ name }) => name);
const itemOf = (id: string, content_id: string, duration: number | null) => ({
  id,
  content_id,
  duration,
  weight: null,
});

const epoch = async () => {
  const { rows } = await sql<{ epoch: number }>`select epoch from credential_epoch`.execute(db);
  return rows[0]?.epoch;
};

test('API keys and tokens: every change that counts for a cache is counted, and no other', async () => {
  const keys = apiKeyRepository(db);
  const key = {
    name: 'Till',
    scope: 'Admin',
    created_at: NOW,
    expires_at: null,
    last_used_at: null,
  } as const;
  await keys.insert({ ...key, id: 'key_1', hash: 'a' });
  await keys.insert({ ...key, id: 'key_2', hash: 'b', expires_at: NOW + 1 });
  await keys.insert({ ...key, id: 'key_3', hash: 'c', scope: 'Read' });
  expect([await keys.count(), await keys.countOtherAdmins('key_1', NOW)]).toEqual([3, 1]);
  expect(await keys.countOtherAdmins('key_1', NOW + 1)).toBe(0);
  await keys.setLastUsed('key_1', NOW);
  expect(await keys.find('key_1')).toEqual({
    ...key,
    id: 'key_1',
    hash: 'a',
    last_four: null,
    last_used_at: NOW,
  });
  const devices = deviceRepository(db);
  await devices.insertToken('token', 'dev_1', NOW);
  await devices.markTokenUsed('token', NOW);
  expect(await epoch()).toBe(0);
  expect([await keys.delete('key_2'), await keys.delete('key_2')]).toEqual([true, false]);
  await devices.revokeTokens('dev_1', NOW);
  expect(await epoch()).toBe(2);
  await expect(keys.insert({ ...key, id: 'key_4', hash: 'a' })).rejects.toThrow(/unique/i);
});

test('lists are ordered and paged by time, then by the bytes of the id', async () => {
  for (const id of ['store_b', 'store_A', 'store_a', 'store_Z', 'store_é']) {
    await insertStore(id);
  }
  await storeRepository(db).insert({
    id: 'store_0',
    name: 'Newest',
    tags: '[]',
    ...times,
    created_at: NOW + 1,
  });
  const ids = async (page: number) =>
    (await storeRepository(db).list({ page, limit: 2 })).rows.map(({ id }) => id);
  expect([await ids(1), await ids(2), await ids(3), await ids(4)]).toEqual([
    ['store_0', 'store_é'],
    ['store_b', 'store_a'],
    ['store_Z', 'store_A'],
    [],
  ]);
});

test('a search finds any letters in any case, and nothing that only looks alike', async () => {
  for (const [index, name] of ['ÜBERSEE', 'übersee-Süd', 'Ubersee', 'ΣΊΣΥΦΟΣ', '100 %', 'a_b'].entries()) {
    await insertStore(`store_${index}`, name);
  }
  expect(await findStores('Übersee')).toEqual(['übersee-Süd', 'ÜBERSEE']);
  expect(await findStores('σίσυ')).toEqual(['ΣΊΣΥΦΟΣ']);
  expect(await findStores('%')).toEqual(['100 %']);
  expect(await findStores('_')).toEqual(['a_b']);
  expect(await findStores('')).toHaveLength(6);
});

test('assets with tags, folders and thumbnails', async () => {
  const assets = assetRepository(db);
  const folders = folderRepository(db);
  await folders.insert({ id: 'fld_1', name: 'F', parent_id: null, ...times });
  await folders.insert({ id: 'fld_2', name: 'G', parent_id: 'fld_1', ...times });
  await insertAsset('asset_1', { folder_id: 'fld_1' }, ['z "quoted"', 'a']);
  await insertAsset('asset_2', { type: 'video', duration: 2.5, sha256: 'v', created_at: NOW + 1 });
  await insertAsset('asset_3', { type: 'video', duration: 3, sha256: 'w' }, ['a']);
  expect(await assets.find('asset_1')).toMatchObject({ size: 5_000_000_000, tags: ['z "quoted"', 'a'] });
  expect((await assets.list({ ...all, tag: 'a' })).rows.map(({ id }) => id)).toEqual(['asset_3', 'asset_1']);
  expect(await assets.list({ ...all, type: 'video', search: 'SET_2' })).toMatchObject({
    rows: [{ duration: 2.5, tags: [] }],
    total: 1,
  });
  expect(await folders.countContents('fld_1')).toEqual({ assets: 1, folders: 1 });
  expect(await assets.withoutThumbnail(10)).toEqual(['w', 'v']);
  await assets.setThumbnail('v', 'v.webp');
  await assets.setThumbnailFault('w', 'damaged');
  expect(await assets.withoutThumbnail(10)).toEqual([]);
  await assets.update('asset_1', { name: 'New', tags: ['b'] }, NOW + 5);
  expect(await assets.find('asset_1')).toMatchObject({ name: 'New', tags: ['b'], updated_at: NOW + 5 });
  expect([await assets.isBlobUsed('v'), await assets.isBlobUsed('none')]).toEqual([true, false]);
  expect([...(await assets.findByIds(['asset_2', 'asset_9'])).keys()]).toEqual(['asset_2']);
  await expect(folders.delete('fld_1')).rejects.toThrow(/foreign key/i);
  await assets.delete('asset_1');
  expect(await sql`select * from asset_tags where asset_id = 'asset_1'`.execute(db)).toMatchObject({
    rows: [],
  });
});

test('a deployment replaces the ones before it on its targets, and goes with the last of them', async () => {
  const deployments = deploymentRepository(db);
  const [store, tag] = [
    { type: 'store', id: 'store_1' },
    { type: 'tag', value: 'Übersee' },
  ] as const;
  for (const n of [1, 2]) {
    await insertPlaylist(`pl_${n}`);
  }
  await deployments.insert({ id: 'dep_1', playlist_id: 'pl_1', created_at: NOW }, [store, tag]);
  await deployments.insert({ id: 'dep_2', playlist_id: 'pl_2', created_at: NOW + 1 }, [tag]);
  expect(await deployments.targetsOf('dep_1')).toEqual([store]);
  expect(await deployments.targetsOfPlaylist('pl_2')).toEqual([tag]);
  expect(await deployments.findByTargets([tag, store])).toHaveLength(2);
  const [first] = await deployments.listAfter(null, 1);
  expect(first).toMatchObject({ kind: 'store', deployment_id: 'dep_1', created_at: NOW });
  expect(await deployments.listAfter(first!, 5)).toMatchObject([{ ref: 'Übersee', playlist_id: 'pl_2' }]);
  await deployments.removeTarget('store', 'store_1');
  expect([await deployments.find('dep_1'), await deployments.countTargets()]).toEqual([undefined, 1]);
});

test('playlists and schedules: items move up, and rules protect their playlist', async () => {
  const playlists = playlistRepository(db);
  const schedules = scheduleRepository(db);
  await insertAsset('asset_1');
  await insertAsset('asset_2', { type: 'video', duration: 1.5 });
  await insertPlaylist('pl_1');
  await playlists.replaceItems('pl_1', [
    itemOf('i1', 'asset_1', 10),
    itemOf('i2', 'asset_2', null),
    itemOf('i3', 'asset_2', 2),
  ]);
  expect(await playlists.find('pl_1')).toMatchObject({ item_count: 3, total_duration: 13.5 });
  expect(await playlists.listByAsset('asset_2')).toEqual([{ id: 'pl_1', name: 'pl_1' }]);
  await playlists.removeContent('asset_1', ['pl_1'], noPause);
  expect((await playlists.items('pl_1')).map(({ id, position }) => [id, position])).toEqual([
    ['i2', 0],
    ['i3', 1],
  ]);
  expect(await playlists.countAll()).toEqual({ playlists: 1, items: 2 });
  await schedules.insert({ id: 'sch_1', name: 'S', is_active: 1, ...times });
  await schedules.replaceRules('sch_1', [
    {
      id: 'rule_1',
      playlist_id: 'pl_1',
      start_time: '08:00',
      end_time: '09:00',
      days: '[1]',
      rrule: null,
      priority: 3,
      starts_on: null,
      ends_on: null,
      end_day_offset: 2,
      except_dates: '["2026-12-25"]',
      local_time: 1,
      ...times,
    },
  ]);
  await schedules.replaceTargets('sch_1', [{ type: 'device', id: 'dev_1' }]);
  expect(await schedules.find('sch_1')).toMatchObject({
    rules: [{ priority: 3, end_day_offset: 2, except_dates: '["2026-12-25"]', local_time: 1 }],
    targets: [{ id: 'dev_1' }],
  });
  expect(await playlists.schedulesUsing('pl_1')).toEqual([{ id: 'sch_1', name: 'S' }]);
  await expect(playlists.delete('pl_1')).rejects.toThrow(/foreign key/i);
  expect(await schedules.removeTarget('device', 'dev_1')).toEqual(['sch_1']);
  await schedules.delete('sch_1');
  expect(await schedules.countAll()).toEqual({ schedules: 0, rules: 0, targets: 0 });
});

test('the organization counts changes; responses and the time of observation are replaced', async () => {
  const organization = organizationRepository(db);
  await organization.create('Org', NOW);
  expect([await organization.incrementEpoch(), await organization.incrementEpoch()]).toEqual([1, 2]);
  await organization.update({ timezone: 'Europe/Vienna' }, NOW + 1);
  expect(await organization.get()).toMatchObject({ name: 'Org', timezone: 'Europe/Vienna', epoch: 2 });
  const responses = idempotentResponseRepository(db);
  const response = { key_id: 'key_1', idempotency_key: 'i', request_hash: 'h', status: 201, created_at: NOW };
  await responses.save({ ...response, body: 'first' });
  await responses.save({ ...response, body: 'second' });
  expect(await responses.find('key_1', 'i', NOW - 1)).toMatchObject({ body: 'second', status: 201 });
  await responses.deleteBefore(NOW + 1);
  expect(await responses.find('key_1', 'i', 0)).toBeUndefined();
  const presence = presenceRepository(db);
  await presence.recordObserved(NOW, NOW + 1);
  await presence.recordObserved(NOW, NOW + 60_000);
  expect(await presence.observed(NOW, NOW + 1)).toEqual([{ started_at: NOW, ended_at: NOW + 60_000 }]);
});
