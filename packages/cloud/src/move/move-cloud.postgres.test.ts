import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeId } from '@placard/protocol';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createFilledDataFolder } from '../../test/support/filled-data-folder.ts';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { runMove } from '../../test/support/run-move.ts';
import type { Db } from '../database/db.ts';
import { openDatabase } from '../database/open-database.ts';
import { openPostgres } from '../database/open-postgres.ts';
import { PARTITIONED_TABLES } from '../database/schema.ts';
import { UNFINISHED_MOVE } from '../database/unfinished-move.ts';
import { systemClock } from '../system-clock.ts';
import { lockDataFolder } from '../disk/data-folder-lock.ts';
import type { MoveOptions } from './move-cloud.ts';
import { MOVED_TABLES } from './tables.ts';

const server = inject('postgres')!;
const createDatabase = () => createCopy(server, onTestFinished);

/** Not changed by any test; several batches of the greater tables. */
let dataDir: string;
beforeAll(async () => {
  dataDir = join(tempDir(afterAll), 'data');
  await createFilledDataFolder(dataDir, { devices: 1100, plays: 2500, mediaFiles: 12, bytesPerFile: 3000 });
});

/** A data folder that the test changes. */
async function createFolder(change: (database: Sqlite.Database) => void): Promise<string> {
  const folder = join(tempDir(), 'data');
  await createFilledDataFolder(folder, { devices: 20, plays: 50, mediaFiles: 3, bytesPerFile: 500 });
  const database = new Sqlite(join(folder, 'cloud.sqlite'));
  change(database);
  database.close();
  return folder;
}

const move = (to: string, options: Partial<MoveOptions> = {}) => runMove({ dataDir, to, ...options });

/** Without this program. */
async function execute(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
/** All files but those that each program creates that uses the folder: the lock, and SQLite's own. */
const readFolder = () =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/\.lock$|-(shm|wal)$/.test(name) && statSync(join(dataDir, name)).isFile())
    .map((name) => `${hashOf(join(dataDir, name))} ${name}`)
    .toSorted((a, b) => a.localeCompare(b));

/** By table; only PostgreSQL names the column `rowid`. */
const columnsOf = async (db: Db) =>
  new Map(
    (await db.introspection.getTables()).map(({ name, columns }) => [
      name,
      new Set(columns.map((column) => column.name).filter((column) => column !== 'rowid')),
    ]),
  );

/** Columns of `device_live`. */
const ON_SQLITE_ALONE = new Set(['recent_samples', 'last_seen_indexed']);

test('every table of SQLite is moved, and its columns are the same', async () => {
  const db = await openPostgres(await createDatabase());
  onTestFinished(() => db.destroy());
  const onSqlite = await openDatabase(tempDir());
  onTestFinished(() => onSqlite.destroy());
  const tables = await columnsOf(onSqlite);
  // Its samples are moved with the others.
  ON_SQLITE_ALONE.forEach((column) => tables.get('device_live')?.delete(column));
  ['all_samples', 'recent_sample_rows'].forEach((view) => tables.delete(view));
  expect(new Set(tables.keys())).toEqual(new Set(MOVED_TABLES.keys()));
  const more = [
    'node_messages',
    'rate_windows',
    'live_answers',
    'kept_since',
    ...PARTITIONED_TABLES.map((table) => `${table}_default`),
  ];
  const onPostgres = [...(await columnsOf(db))];
  expect(onPostgres.map(([name]) => name)).toEqual(expect.arrayContaining(more));
  expect(new Map(onPostgres.filter(([name]) => !more.includes(name)))).toEqual(tables);
});

test('a cloud is complete and equal after the move, and the source is not changed', async () => {
  const before = readFolder();
  const to = await createDatabase();
  const output = await move(to);
  expect(output).toMatch(/^Equal +\d+ rows in \d+ tables/m);
  expect(output).toContain(`--database ${to.replace(/\w+:[\w-]+@/, 'USER:PASSWORD@')}\n`);
  expect(output).not.toContain(new URL(to).password);
  expect(readFolder()).toEqual(before);

  const source = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  onTestFinished(() => void source.close());
  const db = await openPostgres(to);
  onTestFinished(() => db.destroy());
  for (const name of MOVED_TABLES.keys()) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db);
    const expected = source
      .prepare<[], Row>(`select ${name === 'samples' ? `${SAMPLE} from all_samples` : `* from ${name}`}`)
      .all();
    expect(expected.length, name).toBeGreaterThan(0);
    expect(rows.map(toText).toSorted(), name).toEqual(expected.map(toText).toSorted());
  }
  const { rows } = await sql<Row>`select * from samples where device = 7`.execute(db);
  expect(rows).toEqual([
    { device: 7, at: 5, cpu: 0.5, memory: 5.25, disk: null, temperature: null, wifi: null },
  ]);
});

test('rows of the time that is kept are moved into its partitions', async () => {
  const nowMs = Date.UTC(2026, 10, 23, 12);
  const dayMs = 86_400_000;
  const plays = [1, 40, 700, 900].map((days) => {
    const atMs = nowMs - days * dayMs;
    return { id: makeId('play', atMs, new Uint8Array(16)), atMs };
  });
  const folder = await createFolder((database) => {
    database.exec('delete from plays; delete from samples; update device_live set recent_samples = null');
    const insert =
      database.prepare(`insert into plays (id, device_id, content_id, started_at, ended_at, duration_ms,
      outcome, received_at) values (@id, 'dev_1', 'a', @atMs, @atMs, 1, 'completed', 1)`);
    plays.forEach((each) => insert.run(each));
    database.exec(
      `insert into samples (device, at) values (2, ${nowMs - 5 * dayMs}), (2, ${nowMs - 50 * dayMs})`,
    );
  });
  const to = await createDatabase();
  const clock = { ...systemClock, nowMs: () => nowMs };
  expect(await move(to, { dataDir: folder, clock })).toMatch(/^Equal/m);
  const stored = await execute(
    to,
    `select tableoid::regclass::text as name, count(*)::int as rows from plays group by 1
     union all select tableoid::regclass::text, count(*)::int from samples group by 1 order by 1`,
  );
  expect(stored).toEqual(
    [
      'plays_202412',
      'plays_202610',
      'plays_202611',
      'plays_default',
      'samples_20261118',
      'samples_default',
    ].map((name) => ({ name, rows: 1 })),
  );
  expect(await move(to, { dataDir: folder, clock, verifyOnly: true })).toMatch(/^Equal/m);
});

type Row = Record<string, unknown>;
/** A row of SQLite's `samples` as numbers. */
const SAMPLE = `device, at, ${['cpu', 'memory', 'disk', 'temperature', 'wifi']
  .map((name) => `iif(typeof(${name}) = 'integer', ${name} / 10.0, ${name}) as ${name}`)
  .join(', ')}`;

/** The same for rows of both engines, of the columns that both have; the order of columns is that of their names. */
const toText = (row: Row) =>
  JSON.stringify(
    Object.entries(row)
      .filter(([column]) => column !== 'rowid' && !ON_SQLITE_ALONE.has(column))
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );

test('numbers that are counted up go on after those of the source', async () => {
  const to = await createDatabase();
  await move(to, { dataDir: await createFolder(() => {}) });
  const [device] = await execute(to, 'insert into device_live default values returning device');
  // The greatest one is of a device that is gone.
  expect(device).toEqual({ device: '31' });
  const [tag] = await execute(
    to,
    `insert into device_tags (device_id, tag, position) values ('dev_00000003', 'new', 1) returning rowid`,
  );
  expect(tag).toEqual({ rowid: '21' });
});

test('what is complete is not moved again; both can be compared', async () => {
  const to = await createDatabase();
  const source = await createFolder(() => {});
  const verify = () => move(to, { dataDir: source, verifyOnly: true });
  await move(to, { dataDir: source });
  await expect(move(to, { dataDir: source })).rejects.toThrow(/holds this cloud already.*--verify-only/);
  expect(await verify()).toMatch(/Equal +\d+ rows in \d+ tables and 3 media files/);

  const damage = async (change: string, expected: RegExp, undo: string) => {
    await execute(to, change);
    await expect(verify()).rejects.toThrow(expected);
    await execute(to, undo);
  };
  const play = "id = 'play_0000000000000007'";
  await damage(
    `update plays set duration_ms = 1 where ${play}`,
    /table plays is not equal in .*: device_id=dev_00000007, id=play_0000000000000007 differs\./,
    `update plays set duration_ms = 10000 where ${play}`,
  );
  await damage(
    `update plays set id = 'x' where ${play}`,
    /id=play_0000000000000007 is missing/,
    `update plays set id = 'play_0000000000000007' where id = 'x'`,
  );
  await damage(
    `insert into observed_spans values (5, 6)`,
    /table observed_spans has 4 rows in .* instead of 3/,
    'delete from observed_spans where started_at = 5',
  );
  await damage(
    `update device_live set current = null where device = 9`,
    /device_live is not equal .*device=9 differs/,
    `update device_live set current = '{"showing":"7"}' where device = 9`,
  );
  expect(await verify()).toContain('Equal');
});

test('a database that holds something else is refused and stays as it is', async () => {
  const to = await createDatabase();
  await (await openPostgres(to)).destroy();
  await execute(to, "insert into organization values ('org_2', 'Other', 'UTC', 1, 1, 1)");
  await expect(move(to)).rejects.toThrow(/holds another organization, "Other"\. Nothing was changed\./);
  await expect(move(to, { verifyOnly: true })).rejects.toThrow('does not hold this cloud');
  expect(await execute(to, 'select id from organization')).toEqual([{ id: 'org_2' }]);

  await execute(to, 'delete from organization');
  await execute(
    to,
    "insert into stores (id, name, tags, created_at, updated_at) values ('s', 's', '[]', 1, 1)",
  );
  await expect(move(to)).rejects.toThrow('is not empty: the table stores has rows. Nothing was changed.');
  expect(await execute(to, `select to_regclass('${UNFINISHED_MOVE}')`)).toEqual([{ to_regclass: null }]);
});

test('a part of another cloud, or of this one before it was used again, is not continued', async () => {
  const source = await createFolder(() => {});
  const to = await createDatabase();
  // A file that is missing ends the move before the first row.
  rmSync(join(source, 'blobs'), { recursive: true });
  await expect(move(to, { dataDir: source })).rejects.toThrow('is missing');
  const other = await createFolder((database) => database.exec("update organization set id = 'org_3'"));
  await expect(move(to, { dataDir: other })).rejects.toThrow('holds a part of another cloud');
  const used = new Sqlite(join(source, 'cloud.sqlite'));
  used.exec('update observed_spans set ended_at = ended_at + 1');
  used.close();
  await expect(move(to, { dataDir: source })).rejects.toThrow(
    /was used since the copy .* began.*Drop that database/,
  );
});

test('a cloud does not start on a part of the data', async () => {
  const source = await createFolder(() => {});
  rmSync(join(source, 'blobs'), { recursive: true });
  const to = await createDatabase();
  await expect(move(to, { dataDir: source })).rejects.toThrow('is missing');
  await expect(openPostgres(to)).rejects.toThrow(/has only a part of the data.*same command again/);
  await move(to, { dataDir: source, allowDamagedMedia: true });
  await (await openPostgres(to)).destroy();
});

test('missing and damaged files are named, and whether to go on is asked for', async () => {
  const source = await createFolder(() => {});
  const blobs = join(source, 'blobs');
  const [first = '', second = ''] = readdirSync(blobs, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .toSorted();
  writeFileSync(join(blobs, first), Buffer.alloc(500));
  rmSync(join(blobs, second));
  const to = await createDatabase();
  const message = await move(to, { dataDir: source }).catch((error: Error) => error.message);
  expect(message).toMatch(new RegExp(`${first.slice(3)} of "Video \\d" is damaged\\.`));
  expect(message).toMatch(new RegExp(`${second.slice(3)} of "Video \\d" is missing\\.`));
  expect(message).toMatch(/upload these files again.*--allow-damaged-media/s);
  expect(await move(to, { dataDir: source, allowDamagedMedia: true })).toMatch(
    /Media +1 files .*\nNote .*\nNote /,
  );
});

test('U+0000, which PostgreSQL does not store, is replaced and reported', async () => {
  const source = await createFolder((database) => {
    database.exec(`update playlists set name = 'a' || char(0) || 'b' where id in ('pl_1', 'pl_2');
      update plays set id = 'p' || char(0) || 'q' where id = 'play_0000000000000003'`);
  });
  const to = await createDatabase();
  const output = await move(to, { dataDir: source });
  expect(output).toContain('In 2 rows of playlists the character U+0000');
  expect(output).toMatch(/became U\+FFFD: id=pl_1; id=pl_2$/m);
  expect(await execute(to, "select id from plays where id like 'p%q'")).toEqual([{ id: 'p\uFFFDq' }]);
  expect(await move(to, { dataDir: source, verifyOnly: true })).toContain('In 1 rows of plays');
});

test('a value that PostgreSQL cannot store is named', async () => {
  const source = await createFolder((database) =>
    database.exec('update device_live set clock_offset_ms = 1.5 where device = 6'),
  );
  await expect(move(await createDatabase(), { dataDir: source })).rejects.toThrow(
    'The table device_live in ' +
      join(source, 'cloud.sqlite') +
      ' has a row that PostgreSQL cannot store: clock_offset_ms is 1.5 where device=6.',
  );
});

test.each([
  [
    'an older version',
    "delete from kysely_migration where name like '0016%'",
    /older version.*Start the cloud of this version/,
  ],
  [
    'a newer version',
    "insert into kysely_migration values ('9999-later', 'x')",
    /newer version of this program/,
  ],
  ['a cloud that was never started', 'delete from organization', /has no organization yet/],
])('a database of %s is refused', async (_, change, expected) => {
  const source = await createFolder((database) => database.exec(change));
  await expect(move(await createDatabase(), { dataDir: source })).rejects.toThrow(expected);
});

test('a cloud that is running, or a folder without one, is refused', async () => {
  const source = await createFolder(() => {});
  const to = await createDatabase();
  const lock = lockDataFolder(source);
  await expect(move(to, { dataDir: source })).rejects.toThrow(`already uses the data folder ${source}`);
  lock.release();
  const nowhere = join(tempDir(), 'nowhere');
  await expect(move(to, { dataDir: nowhere })).rejects.toThrow(`There is no cloud in ${nowhere}`);
  expect(existsSync(nowhere)).toBe(false);
  const damaged = join(tempDir(), 'damaged');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'cloud.sqlite'), Buffer.alloc(8192, 7));
  await expect(move(to, { dataDir: damaged })).rejects.toThrow(/cannot be read .*doctor/);
});

test.each([
  ['postgres://user:secret@127.0.0.1:1/cloud', /127\.0\.0\.1:1\/cloud cannot be used/],
  ['mysql://user:secret@127.0.0.1/cloud', /must look like postgres:/],
  ['secret', /must look like postgres:/],
])('a wrong URL is reported without its password: %s', async (to, expected) => {
  const message = await move(to).catch((error: Error) => `${error.name}: ${error.message}`);
  expect(message).toMatch(expected);
  expect(message).toMatch(/^StartupError/);
  expect(message).not.toContain('secret');
});

test('a change by another program during the move is noticed', async () => {
  const source = await createFolder(() => {});
  const changeOnce = (line: string) => {
    if (line.startsWith('Rows')) {
      const other = new Sqlite(join(source, 'cloud.sqlite'));
      other.exec("update organization set epoch = epoch + 1, name = 'Changed'");
      other.close();
    }
  };
  const to = await createDatabase();
  await expect(move(to, { dataDir: source, report: changeOnce })).rejects.toThrow(
    /changed while it was moved.*Drop the new database/,
  );
  expect(await execute(to, 'select name from organization'), 'one state of all tables').toEqual([
    { name: 'Acme' },
  ]);
});
