import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openSqliteTestDb, openTestDb } from '../../test/support/open-test-database.ts';
import { deviceRepository } from './devices.ts';

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
