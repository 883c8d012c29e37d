import { sql } from 'kysely';
import type { Db } from './open-database.ts';
import { countRows, selectPage } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export function folderRepository(db: Db) {
  return {
    list: (paging: Paging): Promise<Page<Row<'folders'>>> => selectPage(db, 'folders', paging),
    async find(id: string): Promise<Row<'folders'> | undefined> {
      return db.selectFrom('folders').selectAll().where('id', '=', id).executeTakeFirst();
    },
    /** The folder and its ancestors, nearest first. */
    async ancestorIds(id: string): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`with recursive above (id) as (
          values (${id})
          union select parent_id from folders join above using (id) where parent_id is not null
        ) select id from above`.execute(db);
      return rows.map((row) => row.id);
    },
    count: (): Promise<number> => countRows(db, 'folders'),
    async insert(row: NewRow<'folders'>): Promise<void> {
      await db.insertInto('folders').values(row).execute();
    },
    async update(
      id: string,
      change: { name?: string | undefined; parent_id?: string | null | undefined },
      nowMs: number,
    ): Promise<void> {
      await db
        .updateTable('folders')
        .set({ ...change, updated_at: nowMs })
        .where('id', '=', id)
        .execute();
    },
    /** Number of assets and folders directly in it. */
    async countContents(id: string): Promise<{ assets: number; folders: number }> {
      return {
        assets: await countRows(db, 'assets', { equal: { folder_id: id } }),
        folders: await countRows(db, 'folders', { equal: { parent_id: id } }),
      };
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('folders').where('id', '=', id).execute();
    },
  };
}
