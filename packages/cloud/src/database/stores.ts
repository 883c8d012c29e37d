import type { Db } from './db.ts';
import {
  containsText,
  countRows,
  deleteById,
  findNames,
  isOneOf,
  queryInBatches,
  selectPage,
} from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export interface StoreRow extends Row<'stores'> {
  device_count: number;
}

export function storeRepository(db: Db) {
  const withDeviceCounts = async (stores: readonly Row<'stores'>[]): Promise<StoreRow[]> => {
    if (stores.length === 0) {
      return [];
    }
    const ids = stores.map(({ id }) => id);
    const counts = await db
      .selectFrom('devices')
      .where('store_id', 'in', ids)
      .groupBy('store_id')
      .select((eb) => ['store_id', eb.fn.countAll<number>().as('device_count')])
      .execute();
    const byId = new Map(counts.map(({ store_id, device_count }) => [store_id, device_count]));
    return stores.map((row) => ({ ...row, device_count: byId.get(row.id) ?? 0 }));
  };

  const readZones = (ids?: readonly string[]) =>
    db
      .selectFrom('stores')
      .select(['id', 'timezone'])
      .where('timezone', 'is not', null)
      .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
      .execute();

  return {
    async list(
      filter: ListQuery & { search?: string | undefined; ids?: readonly string[] | undefined },
    ): Promise<Page<StoreRow>> {
      const page = await selectPage(db, 'stores', filter, {
        and: [...containsText(db, 'name', filter.search), ...isOneOf('id', filter.ids)],
      });
      return { ...page, rows: await withDeviceCounts(page.rows) };
    },
    async find(id: string): Promise<StoreRow | undefined> {
      const rows = await db.selectFrom('stores').selectAll().where('id', '=', id).execute();
      return (await withDeviceCounts(rows))[0];
    },
    findNames: (ids: readonly string[]): Promise<Map<string, string>> => findNames(db, 'stores', ids),
    count: (): Promise<number> => countRows(db, 'stores'),
    /** Time zones of the stores that have one, of all stores or of these. */
    async zones(ids?: readonly string[]): Promise<Map<string, string>> {
      const rows = await (ids === undefined ? readZones() : queryInBatches(ids, readZones));
      return new Map(rows.flatMap(({ id, timezone }) => (timezone === null ? [] : [[id, timezone]])));
    },
    async insert(row: NewRow<'stores'>): Promise<void> {
      await db.insertInto('stores').values(row).execute();
    },
    async update(id: string, change: RowChange<'stores'>): Promise<void> {
      await db.updateTable('stores').set(change).where('id', '=', id).execute();
    },
    delete: (id: string): Promise<void> => deleteById(db, 'stores', id),
  };
}
