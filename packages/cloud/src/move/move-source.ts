import Sqlite from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import type { RawBuilder } from 'kysely';
import { sqlite } from '../database/engine/sqlite.ts';
import { MIGRATIONS } from '../database/migrations/index.ts';
import type { Row } from '../database/schema.ts';
import { errorMessage } from '../domain/error-details.ts';
import type { DatabaseOwner } from '../domain/media-owner.ts';
import { StartupError } from '../domain/startup-error.ts';
import { describeKey } from './tables.ts';
import type { MovedColumn, MovedTable, MovedValue, RowKey } from './tables.ts';

const MAX_ROWS = 1000;
/** Characters of a batch: webhook deliveries and stored responses have up to a megabyte each. */
const MAX_CHARACTERS = 4_000_000;

/** Rows as PostgreSQL is to store them. */
export interface Batch {
  rows: MovedValue[][];
  /** Key of the last row, as the source has it. */
  last: RowKey;
  /** Keys of the rows in which U+0000 was replaced. */
  replaced: RowKey[];
}

/** What tells whether the cloud was used between two runs: a cloud records that it runs, and a command what it changes. */
export interface SourceState {
  organization: string;
  epoch: number;
  observedUntil: number | null;
  lastAuditEntry: number | null;
}

/** The database of a stopped cloud, as it was when it was opened. */
export interface MoveSource {
  organizationName: string;
  mediaOwner: DatabaseOwner;
  /** As it is now. */
  state(): SourceState;
  count(name: string, table: MovedTable): number;
  /** The rows after a key in the order of the key; null: all. */
  batches(
    name: string,
    table: MovedTable,
    columns: readonly MovedColumn[],
    after: RowKey | null,
  ): Generator<Batch>;
  /** The last number that a column which is counted up has had. */
  lastCounted: (table: string, column: string) => number;
  close(): void;
}

/** Opens the file of a database for reading. Refuses one of another version of this program. */
export function openSource(file: string): MoveSource {
  let database: Sqlite.Database;
  try {
    database = new Sqlite(file, { readonly: true });
    database.exec('begin');
    requireThisVersion(database, file);
  } catch (cause) {
    if (cause instanceof StartupError) {
      throw cause;
    }
    throw new StartupError(
      `The database ${file} cannot be read (${errorMessage(cause)}). The command doctor says what is damaged.`,
      cause,
    );
  }
  const compiler = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const prepare = (query: RawBuilder<unknown>) => {
    const { sql: text, parameters } = query.compile(compiler);
    return { statement: database.prepare(text), parameters };
  };
  const readNumber = (query: RawBuilder<unknown>): number => {
    const { statement, parameters } = prepare(query);
    return Number(statement.pluck().get(parameters));
  };
  const organization = readOrganization(database, file);

  return {
    organizationName: organization.name,
    mediaOwner: { id: organization.media_id, turn: organization.media_turn },
    state() {
      // Not in the transaction of the rows: it does not see what is written meanwhile.
      const now = new Sqlite(file, { readonly: true });
      try {
        return now.prepare<[], SourceState>(STATE).get()!;
      } finally {
        now.close();
      }
    },
    count: (name, { view = name }) => readNumber(sql`select count(*) from ${sql.table(view)}`),
    *batches(name, table, columns, after) {
      const values = columns.map((column) =>
        table.measures?.includes(column.name) === true
          ? sqlite.decodeMeasure(sql.ref(column.name))
          : sql.ref(column.name),
      );
      const key = sql.join(table.key.map((column) => sql.ref(column)));
      const condition = after ? sql`where (${key}) > (${sql.join(after)})` : sql``;
      const { statement, parameters } = prepare(
        sql`select ${sql.join(values)} from ${sql.table(table.view ?? name)} ${condition} order by ${key}`,
      );
      const keyIndexes = table.key.map((column) => columns.findIndex((each) => each.name === column));
      let batch: Batch = { rows: [], last: [], replaced: [] };
      let characters = 0;
      // The statement returns arrays of what SQLite stores: there are no blobs.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      for (const row of statement.raw().iterate(parameters) as Iterable<MovedValue[]>) {
        batch.last = keyIndexes.map((index) => row[index] ?? null);
        let isReplaced = false;
        for (const [index, { name: column, type }] of columns.entries()) {
          const value = row[index] ?? null;
          if (!fits(value, type)) {
            throw new StartupError(
              `The table ${name} in ${file} has a row that PostgreSQL cannot store: ${column} is ${String(value)} ` +
                `where ${describeKey(table, batch.last)}. Correct it in the cloud, or with SQLite's own program.`,
            );
          }
          if (typeof value === 'string') {
            characters += value.length;
            if (value.includes('\0')) {
              row[index] = value.replaceAll('\0', '\uFFFD');
              isReplaced = true;
            }
          }
        }
        batch.rows.push(row);
        if (isReplaced) {
          batch.replaced.push(batch.last);
        }
        if (table.isOneBatch !== true && (batch.rows.length === MAX_ROWS || characters > MAX_CHARACTERS)) {
          yield batch;
          batch = { rows: [], last: [], replaced: [] };
          characters = 0;
        }
      }
      if (batch.rows.length > 0) {
        yield batch;
      }
    },
    lastCounted: (table, column) =>
      readNumber(sql`select max(
        coalesce((select seq from sqlite_sequence where name = ${table}), 0),
        coalesce((select max(${sql.ref(column)}) from ${sql.table(table)}), 0))`),
    close: () => void database.close(),
  };
}

/** SQLite stores any value in any column. */
function fits(value: unknown, type: MovedColumn['type']): boolean {
  switch (type) {
    case 'text':
      return value === null || typeof value === 'string';
    case 'bigint':
      return value === null || Number.isSafeInteger(value);
    case 'double precision':
    default:
      return value === null || typeof value === 'number';
  }
}

const STATE = `select id as organization, epoch,
  (select max(ended_at) from observed_spans) as observedUntil,
  (select max(rowid) from audit_log) as lastAuditEntry
  from organization`;

function requireThisVersion(database: Sqlite.Database, file: string): void {
  const applied = new Set(
    database
      .prepare<[], { name: string }>('select name from kysely_migration')
      .all()
      .map(({ name }) => name),
  );
  const known = new Set(Object.keys(MIGRATIONS));
  if ([...applied].some((name) => !known.has(name))) {
    throw new StartupError(
      `The database ${file} was written by a newer version of this program. Use that version.`,
    );
  }
  if (applied.size < known.size) {
    throw new StartupError(
      `The database ${file} was written by an older version of this program. Start the cloud of this version on it ` +
        'once, which converts it, and stop it; then move it.',
    );
  }
}

type Organization = Pick<Row<'organization'>, 'name' | 'media_id' | 'media_turn'>;

function readOrganization(database: Sqlite.Database, file: string): Organization {
  const row = database.prepare<[], Organization>('select name, media_id, media_turn from organization').get();
  if (!row) {
    throw new StartupError(`The database ${file} has no organization yet: there is nothing to copy.`);
  }
  return row;
}
