import { sql } from 'kysely';
import type { Db } from './db.ts';
import { countRows, findById, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export function apiKeyRepository(db: Db) {
  return {
    count: (): Promise<number> => countRows(db, 'api_keys'),
    list: (query: ListQuery): Promise<Page<Row<'api_keys'>>> => selectPage(db, 'api_keys', query),
    find: (id: string) => findById(db, 'api_keys', id),
    async insert(row: NewRow<'api_keys'>): Promise<void> {
      await db.insertInto('api_keys').values(row).execute();
    },
    async delete(id: string): Promise<boolean> {
      const result = await db.deleteFrom('api_keys').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    /** Number of Admin keys, other than `id`, that are valid after the timestamp. */
    countOtherAdmins: (id: string, nowMs: number): Promise<number> =>
      countRows(db, 'api_keys', {
        equal: { scope: 'Admin' },
        and: [sql`id <> ${id}`, sql`(expires_at is null or expires_at > ${nowMs})`],
      }),
    async setLastUsed(id: string, nowMs: number): Promise<void> {
      await db.updateTable('api_keys').set({ last_used_at: nowMs }).where('id', '=', id).execute();
    },
  };
}
