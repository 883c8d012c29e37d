import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './database.ts';
import type { Database, Row } from './schema.ts';

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

export interface Page<T> {
  rows: T[];
  total: number;
}

/** The tables that are listed page by page. */
type Listed = {
  [T in keyof Database]: Row<T> extends { id: string; created_at: number } ? T : never;
}[keyof Database];

/** What a list is narrowed down to. */
export interface Narrowing<T extends Listed> {
  /** Columns with the value that they must have; what is undefined is not asked for. */
  equal?: { [K in keyof Row<T>]?: Row<T>[K] | undefined };
  /** Everything else that must hold. */
  and?: readonly Expression<SqlBool>[];
}

export const offsetOf = (paging: Paging): number => (paging.page - 1) * paging.limit;

/** One page of a table, newest first and ties by id, so that paging neither repeats nor skips. */
export async function pageOf<T extends Listed>(
  db: Db,
  table: T,
  paging: Paging,
  narrowing: Narrowing<T> = {},
): Promise<Page<Row<T>>> {
  const total = await countOf(db, table, narrowing);
  // A search that finds nothing reads the table once.
  if (total <= offsetOf(paging)) return { rows: [], total };
  const { rows } = await sql<Row<T>>`select * from ${sql.table(table)} where ${all(narrowing)}
    order by created_at desc, id desc limit ${paging.limit} offset ${offsetOf(paging)}`.execute(db);
  return { rows, total };
}

/** How many rows of a table there are. */
export async function countOf<T extends Listed>(
  db: Db,
  table: T,
  narrowing: Narrowing<T> = {},
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
    where ${all(narrowing)}`.execute(db);
  return rows[0]?.n ?? 0;
}

function all<T extends Listed>({ equal = {}, and = [] }: Narrowing<T>): Expression<SqlBool> {
  const equals = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
  const conditions = [...equals, ...and];
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

/**
 * Case-insensitive "contains"; nothing when nothing is searched. With LIKE a row would take the length of its text times
 * that of what is searched.
 */
export function contains(column: string, text: string | undefined): Expression<SqlBool>[] {
  if (text === undefined || text === '') return [];
  return [sql<SqlBool>`instr(lower(${sql.ref(column)}), ${text.toLowerCase()}) > 0`];
}

/** Groups rows by a key, each group in the order given. */
export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** SQLite takes at most 32,766 parameters; long id lists go in slices. */
export async function inSlices<K, T>(
  keys: readonly K[],
  query: (slice: readonly K[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let start = 0; start < keys.length; start += 1000)
    rows.push(...(await query(keys.slice(start, start + 1000))));
  return rows;
}
