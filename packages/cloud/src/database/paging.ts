import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './open-database.ts';
import type { DatabaseSchema, Row } from './schema.ts';

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

export interface Page<T> {
  rows: T[];
  total: number;
}

/** Tables that are listed in pages. */
type PagedTable = {
  [T in keyof DatabaseSchema]: Row<T> extends { id: string; created_at: number } ? T : never;
}[keyof DatabaseSchema];

/** Filters of a list. */
export interface ListConditions<T extends PagedTable> {
  /** Columns and required values; undefined values are ignored. */
  equal?: { [K in keyof Row<T>]?: Row<T>[K] | undefined };
  /** Further conditions. */
  and?: readonly Expression<SqlBool>[];
}

export const offsetOf = (paging: Paging): number => (paging.page - 1) * paging.limit;

/** One page of a table, newest first with ties broken by id, so that paging neither repeats nor skips rows. */
export async function selectPage<T extends PagedTable>(
  db: Db,
  table: T,
  paging: Paging,
  narrowing: ListConditions<T> = {},
): Promise<Page<Row<T>>> {
  const total = await countRows(db, table, narrowing);
  // Without matches the table is read only once.
  if (total <= offsetOf(paging)) {
    return { rows: [], total };
  }
  const { rows } = await sql<Row<T>>`select * from ${sql.table(table)} where ${whereAll(narrowing)}
    order by created_at desc, id desc limit ${paging.limit} offset ${offsetOf(paging)}`.execute(db);
  return { rows, total };
}

/** Number of matching rows. */
export async function countRows<T extends PagedTable>(
  db: Db,
  table: T,
  narrowing: ListConditions<T> = {},
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
    where ${whereAll(narrowing)}`.execute(db);
  return rows[0]?.n ?? 0;
}

function whereAll<T extends PagedTable>({ equal = {}, and = [] }: ListConditions<T>): Expression<SqlBool> {
  const equals = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
  const conditions = [...equals, ...and];
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

/**
 * Case-insensitive "contains"; no condition for an empty text. LIKE would take time proportional to the product of
 * both lengths.
 */
export function containsText(column: string, text: string | undefined): Expression<SqlBool>[] {
  if (text === undefined || text === '') {
    return [];
  }
  return [sql<SqlBool>`instr(lower(${sql.ref(column)}), ${text.toLowerCase()}) > 0`];
}

/** Groups rows by a key, each group in the order given. */
export function groupRowsBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) {
      group.push(row);
    } else {
      groups.set(key, [row]);
    }
  }
  return groups;
}

/** SQLite accepts at most 32,766 parameters, so long key lists are split. */
export async function queryInBatches<K, T>(
  keys: readonly K[],
  query: (slice: readonly K[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let start = 0; start < keys.length; start += 1000) {
    rows.push(...(await query(keys.slice(start, start + 1000))));
  }
  return rows;
}

/** Names of the existing rows by id. */
export async function findNames(
  db: Db,
  table: 'devices' | 'stores' | 'playlists' | 'assets' | 'removed_devices',
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queryInBatches(ids, (slice) =>
    db.selectFrom(table).select(['id', 'name']).where('id', 'in', slice).execute(),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
