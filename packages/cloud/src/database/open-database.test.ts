import { createHash } from 'node:crypto';
import { copyFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, Migrator, sql, SqliteDialect } from 'kysely';
import { DEFAULT_DISPLAY } from '@placard/protocol';
import Sqlite from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { toDatedSample } from '../domain/latest-sample.ts';
import { deviceRepository, toDisplayColumns } from './devices.ts';
import { heartbeatRepository } from './heartbeats.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { openDatabase } from './open-database.ts';
import type { Db } from './db.ts';
import type { DatabaseSchema } from './schema.ts';

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

const pragma = async (db: Db, name: string) => {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return Object.values(rows[0] ?? {})[0];
};

test('every open sets the pragmas for durable writes, foreign keys and a bounded write-ahead log', async () => {
  for (let open = 1; open <= 2; open++) {
    const db = await openDatabase(folder);
    expect(await pragma(db, 'journal_mode')).toBe('wal');
    expect(await pragma(db, 'synchronous'), `open ${open}`).toBe(2);
    expect(await pragma(db, 'foreign_keys')).toBe(1);
    expect(await pragma(db, 'journal_size_limit')).toBe(64 * 2 ** 20);
    await db.destroy();
  }
});

test.each([
  { isCloud: true, does: 'the cloud writes the log that a killed process has left once more' },
  { isCloud: false, does: 'a command beside a running cloud does not write its log again' },
])('$does', async ({ isCloud }) => {
  const killed = await openDatabase(folder);
  await insert(killed, 'kept');
  const left = tempDir();
  for (const name of ['cloud.sqlite', 'cloud.sqlite-wal']) {
    copyFileSync(join(folder, name), join(left, name));
  }
  await killed.destroy();
  const log = join(left, 'cloud.sqlite-wal');
  utimesSync(log, 0, 0);
  const db = await openDatabase(left, { isCloud });
  expect(statSync(log).mtimeMs > 0).toBe(isCloud);
  expect(await db.selectFrom('removed_devices').select('id').execute()).toEqual([{ id: 'kept' }]);
  await db.destroy();
});

test('SQLite is one in which two connections can move the log beside commits', async () => {
  const db = await openDatabase(folder);
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  // Until 3.51.2 commits could be lost: https://sqlite.org/wal.html#walresetbug
  const [major = 0, minor = 0, patch = 0] = rows[0]!.version.split('.').map(Number);
  expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003);
  await db.destroy();
});

const insert = (db: Db, id: string) =>
  db.insertInto('removed_devices').values({ id, name: id, removed_at: 0 }).execute();

test('a transaction that reads first can still write while another connection tries to', async () => {
  // In the same thread it would wait in vain.
  const [one, other] = [await openDatabase(folder), await openDatabase(folder, { lockWaitMs: 0 })];
  try {
    await one.transaction().execute(async (trx) => {
      await trx.selectFrom('removed_devices').selectAll().execute();
      await expect(insert(other, 'b')).rejects.toThrow('locked');
      await insert(trx, 'a');
    });
    await insert(other, 'b');
    expect(await one.selectFrom('removed_devices').selectAll().execute()).toHaveLength(2);
  } finally {
    await one.destroy();
    await other.destroy();
  }
});

/** A database with the migrations before the one named. */
async function createOlder(next: string): Promise<Kysely<DatabaseSchema>> {
  const older = new Kysely<DatabaseSchema>({
    dialect: new SqliteDialect({ database: new Sqlite(join(folder, 'cloud.sqlite')) }),
  });
  const before = Object.entries(MIGRATIONS).filter(([name]) => name < next);
  const migrator = new Migrator({
    db: older,
    provider: { getMigrations: async () => Object.fromEntries(before) },
  });
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  return older;
}

test('a migration keeps devices and pairings of an older database, with default settings', async () => {
  const older = await createOlder('0005');
  await sql`insert into devices (id, name, type, platform, serial, orientation, status, player_version,
    manifest_revision, created_at, updated_at)
    values ('dev_1', 'Old', 'pc', 'linux', 'S', 'portrait', 'offline', '0', 'r', 1, 1)`.execute(older);
  await sql`insert into pairings (id, code, poll_token, serial, request, created_at, expires_at, last_poll_at,
    interval) values ('pair_1', 'BCD-FGH', 't', 'S', '{}', 1, 2, 3, 5)`.execute(older);
  await older.destroy();

  const db = await openDatabase(folder);
  expect(await db.selectFrom('devices').selectAll().executeTakeFirstOrThrow()).toMatchObject({
    ...toDisplayColumns(DEFAULT_DISPLAY),
    id: 'dev_1',
    orientation: 'portrait',
    menu_pin_hash: null,
  });
  expect(await db.selectFrom('pairings').selectAll().executeTakeFirstOrThrow()).toMatchObject({
    id: 'pair_1',
    secret_hash: null,
  });
  await db.destroy();
});

test('released migrations still make the tables, indexes and triggers of SQLite that they were released with', async () => {
  const db = await createOlder('0017');
  const { rows } = await sql`select type, name, tbl_name, sql from sqlite_master`.execute(db);
  await db.destroy();
  const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  expect(hash).toBe('9a9f256f84a03a5c99e1aa0c0de093935ff3547848410629938c5741540ea0a4');
});

const sample = (atMs: number) => ({
  measured_at: new Date(atMs).toISOString(),
  cpu_percent: 9,
  memory_percent: null,
  disk_percent: null,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});

test('a migration keeps what devices have reported, and counts a sample that is sent again once', async () => {
  const older = await createOlder('0015');
  const at = Date.UTC(2026, 0, 1);
  await sql`insert into devices (id, name, type, platform, serial, orientation, status, told_status, player_version,
      manifest_revision, last_seen, last_heartbeat, storage, faults, created_at, updated_at)
    values ('dev_1', 'Old', 'pc', 'linux', 'S', 'portrait', 'online', 'online', '0', 'r', 7, 6, '{}', '[]', 1, 1),
      ('dev_2', 'New', 'pc', 'linux', 'S', 'portrait', 'offline', 'offline', '0', 'r', null, null, null, null, 1, 1)`.execute(
    older,
  );
  await sql`insert into heartbeat_samples values ('dev_1', ${at}, 1)`.execute(older);
  for (const interval of ['minute', 'hour', 'day']) {
    await sql`insert into heartbeat_buckets (device_id, interval, bucket, samples, cpu_count, cpu_sum, cpu_min, cpu_max,
        memory_count, disk_count, temperature_count, wifi_count)
      values ('dev_1', ${interval}, ${at}, 1, 1, 5, 5, 5, 0, 0, 0, 0)`.execute(older);
  }
  await sql`insert into device_tags values ('dev_1', 'lobby', 0)`.execute(older);
  await older.destroy();

  const db = await openDatabase(folder);
  const devices = deviceRepository(db);
  expect((await devices.find('dev_1'))?.tags).toEqual(['lobby']);
  expect(await devices.count()).toBe(2);
  expect(await sql`pragma foreign_key_check`.execute(db)).toMatchObject({ rows: [] });
  expect(await pragma(db, 'foreign_keys')).toBe(1);
  const device = await devices.findRow('dev_1');
  expect(device).toMatchObject({ online: 1, last_seen: 7, last_heartbeat: 6, storage: '{}', faults: '[]' });
  expect(await devices.findRow('dev_2')).toMatchObject({ online: 0, last_seen: null, rolled_up_until: 0 });
  expect([await devices.mayAnyBeSilentSince(6), await devices.mayAnyBeSilentSince(7)]).toEqual([false, true]);
  const heartbeats = heartbeatRepository(db);
  expect(device && (await heartbeats.add(device, [sample(at), sample(at + 1)].map(toDatedSample), at))).toBe(
    1,
  );
  for (const interval of ['minute', 'hour', 'day'] as const) {
    expect(await heartbeats.buckets('dev_1', interval, at, at + 1)).toMatchObject([
      { samples: 2, cpu_sum: 14, cpu_min: 5, cpu_max: 9 },
    ]);
  }
  await db.destroy();
});

test('a migration counts the tags that are in use, and reads the faults that devices report', async () => {
  const older = await createOlder('0025');
  await sql`insert into device_live (device, online, rolled_up_until, faults)
    values (1, 0, 0, '[{"code":"disk.full"},{"code":"cloud.busy"}]'), (2, 0, 0, '[]'), (3, 0, 0, null)`.execute(
    older,
  );
  await sql`insert into devices (id, name, type, platform, serial, orientation, status, told_status, player_version,
      created_at, updated_at, number)
    values ('dev_1', 'Old', 'pc', 'linux', 'S', 'portrait', 'online', 'online', '0', 1, 1, 1)`.execute(older);
  await sql`insert into device_tags values ('dev_1', 'lobby', 0), ('dev_1', 'bar', 1)`.execute(older);
  await sql`insert into schedules values ('sch_1', 'S', 1, 1, 1)`.execute(older);
  await sql`insert into schedule_targets values ('sch_1', 0, 'tag', 'lobby'), ('sch_1', 1, 'store', 's')`.execute(
    older,
  );
  await older.destroy();

  const db = await openDatabase(folder);
  expect(await db.selectFrom('tag_counts').selectAll().orderBy('tag').execute()).toEqual([
    { tag: 'bar', devices: 1, content: 0, schedules: 0 },
    { tag: 'lobby', devices: 1, content: 0, schedules: 1 },
  ]);
  expect(await db.selectFrom('device_faults').selectAll().orderBy('code').execute()).toEqual([
    { device: 1, code: 'cloud.busy' },
    { device: 1, code: 'disk.full' },
  ]);
  await db.destroy();
});

test('a migration that is interrupted leaves nothing behind, and is made at the next start', async () => {
  const older = await createOlder('0015');
  // In the way of its last step.
  await sql`create table samples (id)`.execute(older);
  await older.destroy();
  await expect(openDatabase(folder)).rejects.toThrow('samples already exists');

  const file = new Sqlite(join(folder, 'cloud.sqlite'));
  expect(file.prepare("select 1 from sqlite_master where name = 'device_live'").all()).toEqual([]);
  file.exec('drop table samples');
  file.close();
  const db = await openDatabase(folder);
  expect(await db.selectFrom('device_live').selectAll().execute()).toEqual([]);
  await db.destroy();
});
