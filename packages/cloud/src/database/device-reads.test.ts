import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { insertDevice } from '../../test/support/insert-device.ts';
import { newestDevicesJson } from '../http/devices/newest-devices-json.ts';
import { presentDevice } from '../http-server/present.ts';
import { createDeviceReads } from './device-reads.ts';
import type { DeviceReads } from './device-reads.ts';
import { deviceRepository } from './devices.ts';
import { openDatabase } from './open-database.ts';
import type { RootDb } from './open-database.ts';

const COUNT = 5;
const ALL = { page: 1, limit: 100 };

let dataDir: string;
let db: RootDb;
let reads: DeviceReads;
beforeEach(async () => {
  dataDir = tempDir(onTestFinished);
  db = await openDatabase(dataDir);
  onTestFinished(() => db.destroy());
  reads = createDeviceReads(db);
  await sql`insert into stores (id, name, tags, created_at, updated_at) values ('store_1', 'S', '[]', 1, 1)`.execute(
    db,
  );
  for (let index = 1; index <= COUNT; index++) {
    await insertDevice(db, `dev_${index}`, { created_at: index % 3, store_id: 'store_1' });
  }
  await deviceRepository(db).setTags('dev_2', ['b', 'a']);
});

const listed = (paging = ALL): string => newestDevicesJson(reads.newest(paging).devices);
/** What the repository, which keeps nothing, reads and the API shows. */
const expected = async (paging = ALL): Promise<string> =>
  JSON.stringify((await deviceRepository(db).list(paging)).rows.map(presentDevice));
/** Read twice: what is kept, and again. */
const listedTwice = (): string[] => [listed(), listed()];
const expectedTwice = async (): Promise<string[]> => {
  const once = await expected();
  return [once, once];
};
const namesOf = (id: string) =>
  reads.newest(ALL).devices.flatMap(({ device }) => (device.id === id ? device.name : []));

test('pages are those of the repository', async () => {
  for (const paging of [ALL, { page: 1, limit: 2 }, { page: 3, limit: 2 }, { page: 4, limit: 2 }]) {
    expect(listed(paging)).toBe(await expected(paging));
    expect(reads.newest(paging).total).toBe(COUNT);
  }
});

test('a device that has not changed is read once, and its heartbeats are shown', async () => {
  const [before] = reads.newest(ALL).devices;
  await sql`update device_live set last_heartbeat = 1764000000123`.execute(db);
  const [after] = reads.newest(ALL).devices;
  expect(after).toEqual({ device: before!.device, last_heartbeat: 1_764_000_000_123 });
  expect(after!.device).toBe(before!.device);
  expect(listed()).toContain('"last_heartbeat":"2025-11-24T16:00:00.123Z"');
  expect(listedTwice()).toEqual(await expectedTwice());
});

test('a name that looks like a field is shown as it is', async () => {
  await deviceRepository(db).update('dev_3', {
    name: String.raw`"last_heartbeat":null,\"last_heartbeat":null`,
  });
  await sql`update device_live set last_heartbeat = 1`.execute(db);
  expect(listedTwice()).toEqual(await expectedTwice());
});

test.each<[change: string, statement: string]>([
  ['a new name', `update devices set name = 'new' where id = 'dev_2'`],
  ['other states', `update devices set status = 'online'`],
  ['a new version', `update devices set player_version = '9' where id = 'dev_4'`],
  ['a store that is removed', `delete from stores`],
  ['a new tag', `insert into device_tags (device_id, tag, position) values ('dev_2', 'c', 2)`],
  ['tags in another order', `update device_tags set position = 1 - position`],
  ['a tag that moves to another device', `update device_tags set device_id = 'dev_1' where tag = 'a'`],
  ['tags that are removed', `delete from device_tags`],
  ['devices that are removed', `delete from devices where created_at = 1`],
  ['a device that comes back', `update devices set id = 'dev_0', created_at = 9 where id = 'dev_1'`],
])('%s is shown, whatever statement makes it', async (_, statement) => {
  listed();
  await sql.raw(statement).execute(db);
  expect(listedTwice()).toEqual(await expectedTwice());
});

test('a transaction is shown from its commit on, and never one that is undone', async () => {
  const rename = (name: string) => deviceRepository(db).update('dev_3', { name });
  await rename('first');
  listed();
  const undone = db.transaction().execute(async (trx) => {
    await deviceRepository(trx).update('dev_3', { name: 'undone' });
    expect(namesOf('dev_3')).toEqual(['first']);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(namesOf('dev_3')).toEqual(['first']);
  await db.transaction().execute(async (trx) => {
    await deviceRepository(trx).update('dev_3', { name: 'second' });
    expect(namesOf('dev_3')).toEqual(['first']);
    expect(reads.find('dev_3')?.name).toBe('first');
  });
  expect(namesOf('dev_3')).toEqual(['second']);
  expect(reads.find('dev_3')).toEqual(await deviceRepository(db).find('dev_3'));
});

test('what another process has committed is shown', async () => {
  listed();
  const other = new Sqlite(join(dataDir, 'cloud.sqlite'));
  onTestFinished(() => void other.close());
  other.exec(`update devices set name = 'of another process' where id = 'dev_5'`);
  expect(namesOf('dev_5')).toEqual(['of another process']);
  expect(listedTwice()).toEqual(await expectedTwice());
});

test('one device is that of the repository', async () => {
  expect(reads.find('dev_2')).toEqual(await deviceRepository(db).find('dev_2'));
  expect(reads.find('dev_2')?.tags).toEqual(['b', 'a']);
  expect(reads.find('nobody')).toBeUndefined();
});
