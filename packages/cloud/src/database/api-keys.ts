import type { Db } from './open-database.ts';
import { countRows, selectPage } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export function apiKeyRepository(db: Db) {
  return {
    count: (): Promise<number> => countRows(db, 'api_keys'),
    list: (paging: Paging): Promise<Page<Row<'api_keys'>>> => selectPage(db, 'api_keys', paging),
    async findByHash(hash: string): Promise<Row<'api_keys'> | undefined> {
      return db.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst();
    },
    async find(id: string): Promise<Row<'api_keys'> | undefined> {
      return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async insert(row: NewRow<'api_keys'>): Promise<void> {
      await db.insertInto('api_keys').values(row).execute();
    },
    async delete(id: string): Promise<boolean> {
      const result = await db.deleteFrom('api_keys').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    /** Number of Admin keys, other than `id`, that are valid after the timestamp. */
    async countOtherAdmins(id: string, nowMs: number): Promise<number> {
      const row = await db
        .selectFrom('api_keys')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('scope', '=', 'Admin')
        .where('id', '!=', id)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async setLastUsed(id: string, nowMs: number): Promise<void> {
      await db.updateTable('api_keys').set({ last_used_at: nowMs }).where('id', '=', id).execute();
    },
  };
}
