import Sqlite from 'better-sqlite3';
import { Kysely, Migrator, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { MIGRATIONS } from './index.ts';

/** Their rows are many: they grow with what all devices do and report, day by day. */
const LARGE = [
  'audit_log',
  'commands',
  'events',
  'heartbeat_buckets',
  'heartbeat_samples',
  'online_spans',
  'play_days',
  'play_hours',
  'plays',
  'samples',
  'webhook_deliveries',
];

interface Instruction {
  opcode: string;
  p1: number;
  p2: number;
  p5: number;
}
/** The number of the page is in a register, as that of a new table. */
const IN_REGISTER = 0x10;

/** The tables of which the statement reads all rows: in the program that SQLite makes of it, a loop begins at their first. */
function tablesRead(database: Sqlite.Database, statement: string): string[] {
  const names = new Map(
    database
      .prepare<[], { rootpage: number; tbl_name: string }>('select rootpage, tbl_name from sqlite_master')
      .all()
      .map(({ rootpage, tbl_name }) => [rootpage, tbl_name]),
  );
  const parameters = Array.from(statement.matchAll(/\?/g), () => null);
  const opened = new Map<number, string>();
  const read = new Set<string>();
  const program = database.prepare<null[], Instruction>(`explain ${statement}`).all(...parameters);
  for (const { opcode, p1, p2, p5 } of program) {
    const name = names.get(p2);
    if (/^Open(Read|Write)$/.test(opcode) && name !== undefined && (p5 & IN_REGISTER) === 0) {
      opened.set(p1, name);
    } else if (/^(Rewind|Count)$/.test(opcode)) {
      read.add(opened.get(p1) ?? '');
    }
  }
  return [...read];
}

const namesOfTables = (database: Sqlite.Database): string[] =>
  database
    .prepare<[], { name: string }>("select name from sqlite_master where type = 'table'")
    .all()
    .map(({ name }) => name);

test('no migration reads all rows of a large table, except for those of the first versions', async () => {
  const database = new Sqlite(':memory:');
  const read: Record<string, string[]> = {};
  let running = '';
  /** Those before the migration: what it makes itself is empty. */
  let large: string[] = [];
  const dialect = new SqliteDialect({
    database: {
      close: () => void database.close(),
      prepare(statement) {
        const names = tablesRead(database, statement).filter((name) => large.includes(name));
        if (names.length > 0) {
          read[running] = [...new Set([...(read[running] ?? []), ...names])];
        }
        return database.prepare(statement);
      },
    },
  });
  const recorded = Object.entries(MIGRATIONS).map(([name, migration]) => [
    name,
    {
      async up(db: Kysely<unknown>) {
        running = name;
        large = namesOfTables(database).filter((table) => LARGE.includes(table));
        await migration.up(db);
        large = [];
      },
    },
  ]);
  const db = new Kysely<unknown>({ dialect });
  const provider = { getMigrations: async () => Object.fromEntries(recorded) };
  expect((await new Migrator({ db, provider }).migrateToLatest()).error).toBeUndefined();
  await db.destroy();
  expect(read).toEqual({
    '0002-rotation-and-observation': ['webhook_deliveries'],
    '0004-play-days': ['play_hours'],
    '0013-commands-and-deployments': ['commands'],
    '0014-delivery-budget': ['webhook_deliveries'],
  });
});
