import type { Db } from './database.ts';
import { contains, countOf, inSlices, offsetOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export interface StoreRow extends Row<'stores'> {
  device_count: number;
}
type StoreChange = { [K in keyof Omit<Row<'stores'>, 'id'>]?: Row<'stores'>[K] | undefined };

export function storeRepository(db: Db) {
  const counted = () =>
    db
      .selectFrom('stores')
      .leftJoin('devices', 'devices.store_id', 'stores.id')
      .groupBy('stores.id')
      .selectAll('stores')
      .select((eb) => eb.fn.count<number>('devices.id').as('device_count'));

  return {
    async list(filter: Paging & { search?: string | undefined }): Promise<Page<StoreRow>> {
      const { search } = filter;
      const and = contains('stores.name', search);
      const rows = await counted()
        .where((eb) => eb.and(and))
        .orderBy('stores.created_at', 'desc')
        .orderBy('stores.id', 'desc')
        .limit(filter.limit)
        .offset(offsetOf(filter))
        .execute();
      return { rows, total: await countOf(db, 'stores', { and }) };
    },
    async find(id: string): Promise<StoreRow | undefined> {
      return counted().where('stores.id', '=', id).executeTakeFirst();
    },
    /** Names by id, of those that exist. */
    async names(ids: readonly string[]): Promise<Map<string, string>> {
      const rows = await inSlices(ids, (slice) =>
        db.selectFrom('stores').select(['id', 'name']).where('id', 'in', slice).execute(),
      );
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    /** Those of the ids that exist. */
    async existing(ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db.selectFrom('stores').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map((row) => row.id));
    },
    count: (): Promise<number> => countOf(db, 'stores'),
    async insert(row: NewRow<'stores'>): Promise<void> {
      await db.insertInto('stores').values(row).execute();
    },
    async update(id: string, change: StoreChange): Promise<void> {
      await db.updateTable('stores').set(change).where('id', '=', id).execute();
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('stores').where('id', '=', id).execute();
    },
  };
}
