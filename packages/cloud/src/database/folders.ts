import { sql } from 'kysely';
import type { Db } from './db.ts';
import { countRows, deleteById, findById, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export function folderRepository(db: Db) {
  return {
    list: (query: ListQuery): Promise<Page<Row<'folders'>>> => selectPage(db, 'folders', query),
    find: (id: string) => findById(db, 'folders', id),
    /** The folder and its ancestors, nearest first. */
    async ancestorIds(id: string): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`with recursive above (id) as (
          select id from folders where id = ${id}
          union select parent_id from folders join above using (id) where parent_id is not null
        ) select id from above`.execute(db);
      return rows.map((row) => row.id);
    },
    count: (): Promise<number> => countRows(db, 'folders'),
    async insert(row: NewRow<'folders'>): Promise<void> {
      await db.insertInto('folders').values(row).execute();
    },
    async update(id: string, change: RowChange<'folders'>, nowMs: number): Promise<void> {
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
    delete: (id: string): Promise<void> => deleteById(db, 'folders', id),
  };
}
