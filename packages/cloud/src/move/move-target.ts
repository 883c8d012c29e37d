import { sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { postgres } from '../database/engine/postgres.ts';
import type { GivenColumn } from '../database/engine/engine.ts';
import { createAllPartitions } from '../database/postgres/maintain-partitions.ts';
import { openPostgres } from '../database/open-postgres.ts';
import { describePostgres } from '../database/postgres-url.ts';
import { hasUnfinishedMove, UNFINISHED_MOVE } from '../database/unfinished-move.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { SourceState } from './move-source.ts';
import { MOVED_TABLES } from './tables.ts';
import type { MovedColumn, MovedTable, MovedValue, RowKey } from './tables.ts';

/** Steps of a move besides the tables. */
const SOURCE_STEP = 'source';

/** How far a table is: the key of the last row that is in the target, and how many there are. */
export interface TableProgress {
  after: RowKey | null;
  rows: number;
}

export interface Difference {
  key: RowKey;
  isMissing: boolean;
}

/** A database on PostgreSQL that becomes the copy of the source. */
export interface MoveTarget {
  /** The URL without user and password. */
  place: string;
  /** Refuses a database that holds a cloud, whole: a restore begins with an empty one, or continues. */
  requireNoCloud(): Promise<void>;
  /** Begins or continues: refuses a database that holds something else, or a part of another state of the source. */
  begin(source: SourceState, nowMs: number): Promise<void>;
  /** Refuses a database into which nothing was moved, or not everything. */
  requireFinished(source: SourceState): Promise<void>;
  columns(table: string): readonly MovedColumn[];
  /** Waits for a transaction of a process that was killed. */
  progress(table: string): Promise<TableProgress>;
  /** Writes rows and progress in one transaction. */
  insert(
    name: string,
    table: MovedTable,
    rows: readonly MovedValue[][],
    progress: ProgressStep,
  ): Promise<void>;
  count(table: string): Promise<number>;
  /** The first rows that are not in the target as they are given. */
  compare(name: string, table: MovedTable, rows: readonly MovedValue[][]): Promise<Difference[]>;
  /** Lets the planner know how many rows there are. */
  analyze(): Promise<void>;
  /**
   * From now on it is an ordinary database. Numbers that are counted up go on after those of the source. `write` adds what
   * the source does not have.
   */
  finish(
    lastCounted: (table: string, column: string) => number,
    write?: (trx: Db) => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

export interface ProgressStep {
  before: TableProgress;
  after: TableProgress;
}

/** Opens the database, and makes its tables if it is empty. */
export async function openTarget(url: string): Promise<MoveTarget> {
  const place = describePostgres(url);
  const db = await openPostgres(url, { forMove: true });
  const columnsByTable = await readColumns(db);
  const columns = (table: string): readonly MovedColumn[] => columnsByTable.get(table) ?? [];
  const given = (table: string, rows: readonly MovedValue[][]) =>
    postgres.given(
      columns(table).map(({ name, type }, index): GivenColumn => ({
        name,
        type,
        values: rows.map((row) => row[index] ?? null),
      })),
    );
  const names = (table: string, prefix = '') =>
    sql.join(columns(table).map(({ name }) => sql.ref(`${prefix}${name}`)));
  const count = async (table: string): Promise<number> => {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
      db,
    );
    return rows[0]?.rows ?? 0;
  };

  return {
    place,
    columns,
    count,
    begin: (source, nowMs) =>
      db.transaction().execute(async (trx) => {
        if (await hasUnfinishedMove(trx)) {
          requireSame(await readStep(trx, SOURCE_STEP), source, place);
          return;
        }
        await requireEmpty(trx, source, place);
        await sql`create table ${sql.table(UNFINISHED_MOVE)} (step text primary key, state text not null)`.execute(
          trx,
        );
        const start: TableProgress = { after: null, rows: 0 };
        const steps = [
          [SOURCE_STEP, JSON.stringify(source)],
          ...[...MOVED_TABLES.keys()].map((table) => [table, JSON.stringify(start)]),
        ];
        await sql`insert into ${sql.table(UNFINISHED_MOVE)} (step, state)
          values ${sql.join(steps.map((step) => sql`(${sql.join(step)})`))}`.execute(trx);
        await createAllPartitions(trx, nowMs);
      }),
    async requireNoCloud() {
      const found = await findOrganization(db);
      if (found && !(await hasUnfinishedMove(db))) {
        throw new StartupError(
          `The database ${place} holds a cloud already, ${JSON.stringify(found.name)}, which was not changed. ` +
            'Name an empty database.',
        );
      }
    },
    async requireFinished({ organization }) {
      if (await hasUnfinishedMove(db)) {
        throw new StartupError(
          `The move to ${place} has not finished. Start it again without --verify-only, which continues it.`,
        );
      }
      if ((await findOrganization(db))?.id !== organization) {
        throw new StartupError(`The database ${place} does not hold this cloud. Check --to and --data.`);
      }
    },
    progress: (table) =>
      db.transaction().execute(async (trx): Promise<TableProgress> => {
        const state = await readStep(trx, table);
        if (state === undefined) {
          throw new StartupError(
            `What is in ${place} was begun by another version of this program. Continue with that one.`,
          );
        }
        return JSON.parse(state);
      }),
    insert: (name, { key, isSeeded = false }, rows, { before, after }) =>
      db.transaction().execute(async (trx) => {
        // First: whoever continues after this process was killed waits for the end of its transaction.
        const updated = await sql`update ${sql.table(UNFINISHED_MOVE)} set state = ${JSON.stringify(after)}
          where step = ${name} and state = ${JSON.stringify(before)}`.execute(trx);
        if (updated.numAffectedRows !== 1n) {
          throw new StartupError(`Another process copies data to ${place}. Let it finish, or end it.`);
        }
        const replace = columns(name)
          .filter((column) => !key.includes(column.name))
          .map((column) => sql`${sql.ref(column.name)} = ${sql.ref(`excluded.${column.name}`)}`);
        await sql`insert into ${sql.table(name)} (${names(name)}) select ${names(name)} from ${given(name, rows)}
          ${isSeeded ? sql`on conflict (${sql.join(key.map((column) => sql.ref(column)))}) do update set ${sql.join(replace)}` : sql``}`.execute(
          trx,
        );
      }),
    async compare(name, { key }, rows) {
      const same = key.map((column) => sql`${sql.ref(`stored.${column}`)} = ${sql.ref(`given.${column}`)}`);
      const found = await sql<Record<string, MovedValue> & { is_missing: boolean }>`select
          ${sql.join(key.map((column) => sql.ref(`given.${column}`)))},
          ${sql.ref(`stored.${key[0]}`)} is null as is_missing
        from ${given(name, rows)} left join ${sql.table(name)} as stored on ${sql.join(same, sql` and `)}
        where (${names(name, 'stored.')}) is distinct from (${names(name, 'given.')}) limit 3`.execute(db);
      return found.rows.map((row) => ({
        key: key.map((column) => row[column] ?? null),
        isMissing: row.is_missing,
      }));
    },
    async analyze() {
      for (const table of MOVED_TABLES.keys()) {
        await sql`analyze ${sql.table(table)}`.execute(db);
      }
    },
    finish: (lastCounted, write) =>
      db.transaction().execute(async (trx) => {
        for (const { table_name: table, column_name: column } of await readCountedColumns(trx)) {
          const last = lastCounted(table, column);
          await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${Math.max(last, 1)}, ${last > 0})`.execute(
            trx,
          );
        }
        await write?.(trx);
        await sql`drop table ${sql.table(UNFINISHED_MOVE)}`.execute(trx);
      }),
    close: () => db.destroy(),
  };
}

async function readStep(trx: Db, step: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select state from ${sql.table(UNFINISHED_MOVE)}
    where step = ${step} for update`.execute(trx);
  return rows[0]?.state;
}

const isMovedType = (type: string): type is MovedColumn['type'] =>
  ['text', 'bigint', 'double precision'].includes(type);

/** The columns of the tables that are moved; those of a table with partitions are its own. */
export async function readColumns(db: Db): Promise<Map<string, MovedColumn[]>> {
  const { rows } = await sql<{ table_name: string; name: string; type: string }>`select table_name,
      column_name as name, data_type as type
    from information_schema.columns where table_schema = current_schema() order by table_name, ordinal_position`.execute(
    db,
  );
  const byTable = new Map<string, MovedColumn[]>([...MOVED_TABLES.keys()].map((table) => [table, []]));
  for (const { table_name: table, name, type } of rows) {
    const columns = byTable.get(table);
    if (columns && !isMovedType(type)) {
      throw new TypeError(`the column ${table}.${name} has the type ${type}, which cannot be moved`);
    } else if (isMovedType(type)) {
      columns?.push({ name, type });
    }
  }
  return byTable;
}

/** The columns of these tables that are counted up. */
export async function readCountedColumns(db: Db): Promise<{ table_name: string; column_name: string }[]> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`select table_name, column_name
    from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`.execute(
    db,
  );
  return rows.filter((row) => MOVED_TABLES.has(row.table_name));
}

async function findOrganization(db: Db): Promise<{ id: string; name: string } | undefined> {
  return db.selectFrom('organization').select(['id', 'name']).executeTakeFirst();
}

/** A move begins with tables without rows, but those that the migrations made. */
async function requireEmpty(db: Db, source: SourceState, place: string): Promise<void> {
  const found = await findOrganization(db);
  if (found?.id === source.organization) {
    throw new StartupError(
      `The database ${place} holds this cloud already. To compare both, add --verify-only; to move it again, ` +
        'name an empty database.',
    );
  }
  if (found) {
    throw new StartupError(
      `The database ${place} holds another organization, ${JSON.stringify(found.name)}. Nothing was changed. ` +
        'Name an empty database.',
    );
  }
  for (const [name, { isSeeded = false }] of MOVED_TABLES) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0 && !isSeeded) {
      throw new StartupError(
        `The database ${place} is not empty: the table ${name} has rows. Nothing was changed. Name an empty database.`,
      );
    }
  }
}

function requireSame(text: string | undefined, source: SourceState, place: string): void {
  const begun: SourceState | null = text === undefined ? null : JSON.parse(text);
  if (begun?.organization !== source.organization) {
    throw new StartupError(
      `The database ${place} holds a part of another cloud: a move or a restore of that one has not finished. Name an empty database.`,
    );
  }
  if (text !== JSON.stringify(source)) {
    throw new StartupError(
      `The cloud was used since the copy to ${place} began, or that was of another backup, so that the part which is ` +
        'there is out of date. Drop that database, create it again, and start again; media files that were copied stay.',
    );
  }
}
