import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { MOVED_TABLES } from '../../src/move/tables.ts';
import { copyToSqlite } from '../../src/move/copy-to-sqlite.ts';
import { filledDatabases } from '../support/filled-databases.ts';

const databases = filledDatabases();
const { createFilledDatabase, connect } = databases;

const readTable = (file: string, table: string) => {
  const database = new Sqlite(file, { readonly: true });
  try {
    const rows = database.prepare<[], object>(`select * from ${table}`).all();
    // The samples that this column has are among the others.
    return rows.map((row) => JSON.stringify({ ...row, recent_samples: null })).toSorted();
  } finally {
    database.close();
  }
};

test('the copy has every row of every table as SQLite itself would store it', async () => {
  const database = await createFilledDatabase();
  const copy = join(tempDir(), 'copy.sqlite');
  await copyToSqlite(database, copy);
  const source = join(databases.dataDir, 'cloud.sqlite');
  const file = new Sqlite(source, { readonly: true });
  const tables = file
    .prepare<[], string>(
      `select name from sqlite_master where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'`,
    )
    .pluck()
    .all();
  file.close();
  expect(tables).toContain('plays');
  for (const table of tables) {
    const rows = MOVED_TABLES.get(table)?.view ?? table;
    expect(readTable(copy, rows), table).toEqual(readTable(source, rows));
  }
  const sequences = readTable(source, 'sqlite_sequence');
  expect(sequences).toHaveLength(1);
  expect(readTable(copy, 'sqlite_sequence')).toEqual(expect.arrayContaining(sequences));
});

test('a copy is of one moment while others write, and has the rows of all partitions', async () => {
  const database = await createFilledDatabase();
  const writer = await connect(database);
  await writer.query(`alter table observed_spans rename to observed_spans_old;
    create table observed_spans (like observed_spans_old including defaults) partition by range (started_at);
    alter table observed_spans attach partition observed_spans_old default;
    create table observed_spans_later partition of observed_spans for values from (1000000) to (9000000)`);
  let written = 0;
  const copied = new AbortController();
  const write = async () => {
    for (; !copied.signal.aborted; written++) {
      // One statement is one transaction: rows of a table that is copied early, and of one that is copied late.
      await writer.query(
        `with early as (insert into folders (id, name, created_at, updated_at) values ($1, 'F', 1, 1))
         insert into observed_spans values ($2, $2)`,
        [`new_${written}`, 1_000_000 + written],
      );
    }
  };
  const copy = join(tempDir(), 'copy.sqlite');
  const copying = copyToSqlite(database, copy).finally(() => copied.abort());
  await Promise.all([copying, write()]);
  expect(written).toBeGreaterThan(10);
  const folders = readTable(copy, 'folders').filter((row) => row.includes('new_'));
  expect(readTable(copy, 'observed_spans')).toHaveLength(3 + folders.length);
});

test('a partition whose rows move while a copy begins is not missing from it', async () => {
  const database = await createFilledDatabase();
  const [other, observer] = [await connect(database), await connect(database)];
  await other.query(`alter table observed_spans rename to observed_spans_old;
    create table observed_spans (like observed_spans_old including defaults) partition by range (started_at);
    alter table observed_spans attach partition observed_spans_old default;
    create table observed_spans_later partition of observed_spans for values from (1000000) to (9000000);
    insert into observed_spans values (1000001, 1000002)`);
  await other.query('begin; lock table observed_spans in access exclusive mode');
  const copy = join(tempDir(), 'copy.sqlite');
  const copying = copyToSqlite(database, copy);
  await eventually(async () => {
    const { rows } = await observer.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(rows).toHaveLength(1);
  });
  await other.query(`alter table observed_spans detach partition observed_spans_later;
    insert into observed_spans select * from observed_spans_later;
    drop table observed_spans_later; commit`);
  await copying;
  expect(readTable(copy, 'observed_spans')).toContainEqual(
    expect.stringContaining('"started_at":1000001,"ended_at":1000002'),
  );
});
