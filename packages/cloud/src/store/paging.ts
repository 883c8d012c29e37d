import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

export interface Page<T> {
  rows: T[];
  total: number;
}

export const offsetOf = (paging: Paging): number => (paging.page - 1) * paging.limit;

/** Case-insensitive "contains", with the wildcards of LIKE taken literally. */
export function contains(column: string, text: string): Expression<SqlBool> {
  const literal = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${`%${literal}%`}) escape '\\'`;
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
