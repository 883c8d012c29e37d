import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { offsetOf, partOf } from './list-part.ts';
import type { ListQuery } from './list-part.ts';
import type { DatabaseSchema, Row, RowChange } from './schema.ts';

export interface Page<T> {
  rows: T[];
  /** Of all pages; null in a list that goes on by cursor, in which nothing is counted. */
  total: number | null;
  /** Where a list that goes on by cursor does; null at its end. */
  nextCursor: string | null;
}

type TableWith<Columns> = {
  [T in keyof DatabaseSchema]: Row<T> extends Columns ? T : never;
}[keyof DatabaseSchema];
type TableWithId = TableWith<{ id: string }>;
type PagedTable = TableWith<{ id: string; created_at: number }>;

export interface ListConditions<T extends keyof DatabaseSchema> {
  /** Columns and required values; undefined values are ignored. */
  equal?: RowChange<T>;
  and?: readonly Expression<SqlBool>[];
}

export async function findById<T extends TableWithId>(
  db: Db,
  table: T,
  id: string,
): Promise<Row<T> | undefined> {
  const { rows } = await sql<Row<T>>`select * from ${sql.table(table)} where id = ${id}`.execute(db);
  return rows[0];
}

export async function deleteById(db: Db, table: TableWithId, id: string): Promise<void> {
  await sql`delete from ${sql.table(table)} where id = ${id}`.execute(db);
}

/** A page of a table, or the part after the cursor; newest first unless the query says otherwise. */
export async function selectPage<T extends PagedTable>(
  db: Db,
  table: T,
  query: ListQuery,
  narrowing: ListConditions<T> = {},
): Promise<Page<Row<T>>> {
  const part = partOf(db, table, query);
  const total = part.isCounted ? await countRows(db, table, narrowing) : null;
  // Without matches the table is read only once.
  if (total !== null && total <= offsetOf(query)) {
    return { rows: [], total, nextCursor: null };
  }
  const conditions = { ...narrowing, and: [...(narrowing.and ?? []), ...part.and] };
  const { rows } = await sql<Row<T>>`select * from ${sql.table(table)} where ${whereAll(conditions)}
    ${part.orderBy} ${part.range}`.execute(db);
  return { ...part.cut(rows), total };
}

export async function countRows<T extends keyof DatabaseSchema>(
  db: Db,
  table: T,
  narrowing: ListConditions<T> = {},
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
    where ${whereAll(narrowing)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** The conditions together; true if there are none. */
export function whereAll<T extends keyof DatabaseSchema>({
  equal,
  and = [],
}: ListConditions<T>): Expression<SqlBool> {
  const equals = Object.entries(equal ?? {}).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`],
  );
  const conditions = [...equals, ...and];
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

/** Case-insensitive "contains"; no condition for an empty text. */
export function containsText(db: Db, column: string, text: string | undefined): Expression<SqlBool>[] {
  if (text === undefined || text === '') {
    return [];
  }
  return [engineOf(db).contains(column, text.toLowerCase())];
}

/** The column has one of the values; no condition without a list, and none meets it if the list is empty. */
export function isOneOf(column: string, values: readonly string[] | undefined): Expression<SqlBool>[] {
  if (values === undefined) {
    return [];
  }
  return [values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`];
}

/** Slices of at most `size` rows: a statement has a maximum of values. */
export function* slicesOf<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < rows.length; start += size) {
    yield rows.slice(start, start + size);
  }
}

/** SQLite accepts at most 32,766 parameters, so long key lists are split. */
export async function queryInBatches<K, T>(
  keys: readonly K[],
  query: (slice: readonly K[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (const slice of slicesOf(keys, 1000)) {
    rows.push(...(await query(slice)));
  }
  return rows;
}

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
