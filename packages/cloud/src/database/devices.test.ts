import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openSqliteTestDb, openTestDb } from '../../test/support/open-test-database.ts';
import { deviceRepository } from './devices.ts';
import { presenceRepository } from './presence.ts';
import { storeRepository } from './stores.ts';

/** A time beyond 32 bits. */
const NOW = Date.UTC(2026, 0, 1);
const all = { page: 1, limit: 100 };
const noPause = async () => {};
const tag = (value: string) => ({ type: 'tag' as const, value });

test('the devices that targets reach are found and counted once each', async () => {
  const db = await openTestDb();
  await sql`insert into stores (id, name, tags, created_at, updated_at) values ('store_1', 'S', '[]', 1, 1)`.execute(
    db,
  );
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
    insert into devices (id, name, type, platform, serial, orientation, status, player_version,
      created_at, updated_at, store_id)
    select 'dev_' || i, 'D', 'pc', 'linux', 'S', 'portrait', 'offline', '0', 1, 1,
      case when i % 5 = 0 then 'store_1' end from n`.execute(db);
  await sql`insert into device_tags (device_id, tag, position)
    select id, case when rowid <= 2000 then 'most' else 'few' end, 0 from devices`.execute(db);
  const devices = deviceRepository(db);
  const store = { type: 'store' as const, id: 'store_1' };
  const device = { type: 'device' as const, id: 'dev_1' };
  for (const [count, ...targets] of [
    [2000, tag('most')],
    [2500, tag('most'), tag('few'), store, device],
    [2100, store, tag('most')],
    [1, device, device],
    [0, tag('nobody')],
  ] as const) {
    expect((await devices.findAllReached(targets, noPause)).size).toBe(count);
    expect(new Set(await devices.findReached(targets, 3000, noPause)).size).toBe(count);
    expect(await devices.findReached(targets, 10, noPause)).toHaveLength(Math.min(10, count));
  }
  let batches = 0;
  await devices.findAllReached(
    Array.from({ length: 50 }, () => tag('few')),
    async () => void batches++,
  );
  expect(batches, 'a target that is given many times is read once').toBe(1);
});

test('the number of devices is that of the rows, also after a removal and after a transaction that failed', async () => {
  const db = await openTestDb();
  const devices = deviceRepository(db);
  const first = await insertDevice(db, 'dev_1');
  await insertDevice(db, 'dev_2');
  expect(await devices.count()).toBe(2);
  const failed = db.transaction().execute(async (trx) => {
    await deviceRepository(trx).delete(first, 1);
    await insertDevice(trx, 'dev_3');
    await insertDevice(trx, 'dev_4');
    expect(await deviceRepository(trx).count()).toBe(3);
    throw new Error('failed');
  });
  await expect(failed).rejects.toThrow('failed');
  expect(await devices.count()).toBe(2);
  await devices.delete(first, 1);
  expect(await devices.list({ page: 1, limit: 10 })).toMatchObject({ rows: [{ id: 'dev_2' }], total: 1 });
  expect(await devices.list({ page: 2, limit: 10 })).toMatchObject({ rows: [], total: 1 });
});

test('devices of which nobody was told are found without looking at those that are offline', async () => {
  const db = await openSqliteTestDb();
  const prepare = vi.spyOn(db.writer, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  await deviceRepository(db).offlineNotNotified(25);
  const text = prepare.mock.lastCall?.[0] ?? '';
  expect(text).toContain('told_status');
  const plan = db.writer.prepare(`explain query plan ${text}`).all(25);
  expect(JSON.stringify(plan)).toContain('INDEX devices_not_notified (status=? AND told_status=?)');
});

test('devices are read with their tags and live state, and a removed store leaves its devices', async () => {
  const db = await openTestDb();
  const devices = deviceRepository(db);
  const stores = storeRepository(db);
  await stores.insert({ id: 'store_1', name: 'S', tags: '[]', created_at: NOW, updated_at: NOW });
  const first = await insertDevice(db, 'dev_1', { store_id: 'store_1', status: 'online' });
  await insertDevice(db, 'dev_2', { created_at: NOW, told_status: 'online' });
  await devices.setTags('dev_1', ['b', 'a']);
  await devices.updateLive(first.number, { last_seen: NOW, last_heartbeat: NOW, clock_offset_ms: -7 });
  expect(await devices.find('dev_1')).toMatchObject({
    tags: ['b', 'a'],
    last_seen: NOW,
    clock_offset_ms: -7,
  });
  expect(await devices.list(all)).toMatchObject({
    rows: [
      { id: 'dev_2', tags: [] },
      { id: 'dev_1', tags: ['b', 'a'], last_heartbeat: NOW },
    ],
    total: 2,
  });
  expect(await devices.list({ ...all, tag: 'a', store_id: 'store_1' })).toMatchObject({ total: 1 });
  expect(await devices.findManifestDevices(['dev_1'])).toMatchObject([{ id: 'dev_1', tags: ['b', 'a'] }]);
  expect(await devices.findLastSeen(['dev_1', 'dev_2'])).toEqual(new Map([['dev_1', NOW]]));
  expect(await devices.findLastSeen([])).toEqual(new Map());
  expect([await devices.mayAnyBeSilentSince(NOW - 1), await devices.mayAnyBeSilentSince(NOW)]).toEqual([
    false,
    true,
  ]);
  expect(await devices.offlineNotNotified(1)).toEqual(['dev_2']);
  expect([await devices.countTags(), await stores.count()]).toEqual([2, 1]);
  expect(await stores.find('store_1')).toMatchObject({ device_count: 1 });
  await stores.delete('store_1');
  expect((await devices.find('dev_1'))?.store_id).toBeNull();
  const seen = [];
  for await (const rows of presenceRepository(db).devices()) {
    seen.push(...rows.map(({ id }) => id));
  }
  expect(seen).toEqual(['dev_1', 'dev_2']);
  await devices.delete(first, NOW);
  expect(await presenceRepository(db).names('device', ['dev_1'])).toEqual(new Map([['dev_1', 'dev_1']]));
});

test('pages of devices have each once, newest first, with and without a filter', async () => {
  const db = await openTestDb();
  const devices = deviceRepository(db);
  const newestFirst = [];
  for (let n = 9; n > 0; n--) {
    // Three are as old as each other: of those the id decides.
    const status = n % 2 === 0 ? 'online' : 'offline';
    await insertDevice(db, `dev_${n}`, { created_at: NOW + Math.floor(n / 3), status });
    await devices.setTags(`dev_${n}`, [`tag ${n}`, 'all']);
    newestFirst.push({ id: `dev_${n}`, status, tags: [`tag ${n}`, 'all'] });
  }
  for (const filter of [
    {},
    { status: 'online' as const },
    { tag: 'all' },
    { status: 'offline' as const, tag: 'all' },
  ]) {
    const expected = newestFirst.filter(({ status }) => (filter.status ?? status) === status);
    const found = [];
    for (let page = 1; page <= 5; page++) {
      const { rows, total } = await devices.list({ ...filter, page, limit: 2 });
      expect(total).toBe(expected.length);
      found.push(...rows);
    }
    expect(found).toMatchObject(expected);
  }
});
