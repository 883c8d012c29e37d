import type Sqlite from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import type { Db } from '../database/db.ts';
import { sqlite } from '../database/engine/sqlite.ts';
import { inspectDatabase } from '../database/maintenance.ts';
import { requireMigrated } from '../database/migrate.ts';
import { openPostgresForReading } from '../database/open-postgres.ts';
import { describePostgres } from '../database/postgres-url.ts';
import { StartupError } from '../domain/startup-error.ts';
import { readColumns, readCountedColumns } from './move-target.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { MOVED_TABLES } from './tables.ts';
import type { MovedColumn, MovedTable, MovedValue } from './tables.ts';

/** Rows in memory at a time: webhook deliveries and stored responses have up to a megabyte each. */
const ROWS_AT_ONCE = 200;

/**
 * Copies a database on PostgreSQL, which clouds may use meanwhile, as it is at one moment, into a new file of SQLite. Throws
 * a `StartupError` if the copy is not complete.
 */
export async function copyToSqlite(url: string, file: string): Promise<void> {
  const place = describePostgres(url);
  const db = await openPostgresForReading(url);
  try {
    const copy = await openSqliteFile(file, { place: `The file ${file}`, advice: 'name another file' });
    try {
      await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((trx) => copyAll(trx, copy, place));
    } finally {
      copy.close();
    }
  } finally {
    await db.destroy();
  }
  const { problems } = inspectDatabase(file);
  if (problems.length > 0) {
    throw new StartupError(
      `The copy of the database ${place} is not intact: ${problems.join('; ')}. The command doctor checks the database itself.`,
    );
  }
}

async function copyAll(db: Db, copy: Sqlite.Database, place: string): Promise<void> {
  // Before anything is read: what is removed as a whole, such as a partition, would be missing from what is read afterwards.
  const tables = sql.join([...MOVED_TABLES.keys()].map((name) => sql.table(name)));
  await sql`lock table ${tables} in access share mode`.execute(db);
  await requireMigrated(db, place, { allowNewer: false });
  // All rows are read, not the first ones only.
  await sql`set local cursor_tuple_fraction = 1`.execute(db);
  const columns = await readColumns(db);
  copy.exec('begin');
  for (const [name, table] of MOVED_TABLES) {
    await copyTable(db, copy, { name, table, columns: columns.get(name) ?? [] });
    await requireSameCount(db, copy, name, place);
  }
  for (const { table_name: table, column_name: column } of await readCountedColumns(db)) {
    const { rows } = await sql<{ last: number | null }>`
      select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) as last`.execute(
      db,
    );
    copy.prepare('delete from sqlite_sequence where name = ?').run(table);
    copy.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, rows[0]?.last ?? 0);
  }
  copy.exec('commit');
}

interface CopiedTable {
  name: string;
  table: MovedTable;
  columns: readonly MovedColumn[];
}

async function copyTable(db: Db, copy: Sqlite.Database, copied: CopiedTable): Promise<void> {
  const { name, table, columns } = copied;
  const insert = prepareInsert(copy, copied);
  const names = sql.join(columns.map((column) => sql.ref(column.name)));
  await sql`declare copied no scroll cursor for select ${names} from ${sql.table(name)}
    order by ${sql.join(table.key.map((column) => sql.ref(column)))}`.execute(db);
  for (let isDone = false; !isDone;) {
    const { rows } = await sql<
      Record<string, MovedValue>
    >`fetch ${sql.lit(ROWS_AT_ONCE)} from copied`.execute(db);
    for (const row of rows) {
      insert.run(columns.map((column) => encode(row[column.name] ?? null, column, table)));
    }
    isDone = rows.length < ROWS_AT_ONCE;
  }
  await sql`close copied`.execute(db);
}

const encode = (value: MovedValue, { name }: MovedColumn, { measures }: MovedTable): MovedValue =>
  typeof value === 'number' && measures?.includes(name) === true ? sqlite.encodeMeasure(value) : value;

function prepareInsert(copy: Sqlite.Database, { name, table, columns }: CopiedTable): Sqlite.Statement {
  const compiler = new Kysely<unknown>({ dialect: new SqliteDialect({ database: copy }) });
  const refs = columns.map((column) => sql.ref(column.name));
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  const replaced = columns.map(
    (column) => sql`${sql.ref(column.name)} = ${sql.ref(`excluded.${column.name}`)}`,
  );
  const onConflict =
    table.isSeeded === true ? sql`on conflict (${key}) do update set ${sql.join(replaced)}` : sql``;
  const query = sql`insert into ${sql.table(name)} (${sql.join(refs)})
    values (${sql.join(columns.map(() => sql.raw('?')))}) ${onConflict}`;
  return copy.prepare(query.compile(compiler).sql);
}

async function requireSameCount(db: Db, copy: Sqlite.Database, name: string, place: string): Promise<void> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
  const expected = rows[0]?.rows;
  const copied = copy.prepare<[], number>(`select count(*) from ${name}`).pluck().get();
  if (copied !== expected) {
    throw new StartupError(
      `The copy of the table ${name} of ${place} has ${copied} rows instead of ${expected}. Try again.`,
    );
  }
}
