import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import { isOneOf, whereAll } from './paging.ts';

/** The devices of these stores, as a list of ids inside another statement. */
export const devicesOfStores = (stores: readonly string[]) =>
  sql`(select id from devices where ${whereAll({ and: isOneOf('store_id', stores) })})`;

/**
 * The condition that a target, in the columns `kind` and `ref`, concerns these stores: it is one of them, or reaches a device that is in one
 * of them. No condition without a list; none meets it if the list is empty.
 */
export function concernsStores(stores: readonly string[] | undefined): Expression<SqlBool>[] {
  if (stores === undefined) {
    return [];
  }
  if (stores.length === 0) {
    return [sql`1 = 0`];
  }
  return [
    sql`(kind = 'all' or ${isWithinStores(stores)}
      or kind = 'tag' and ref in (select tag from device_tags where device_id in ${devicesOfStores(stores)}))`,
  ];
}

/** The condition that a target concerns nothing but these stores. A tag reaches whoever has it, tomorrow others than today. */
export const isWithinStores = (stores: readonly string[]): Expression<SqlBool> =>
  stores.length === 0
    ? sql`1 = 0`
    : sql`(kind = 'store' and ref in (${sql.join(stores)}) or kind = 'device' and ref in ${devicesOfStores(stores)})`;
