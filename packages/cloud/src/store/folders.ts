import type { Db } from './database.ts';
import { offsetOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export function folderRepository(db: Db) {
  return {
    async list(paging: Paging): Promise<Page<Row<'folders'>>> {
      const rows = await db
        .selectFrom('folders')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(paging.limit)
        .offset(offsetOf(paging))
        .execute();
      const count = await db
        .selectFrom('folders')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return { rows, total: count.n };
    },
    async find(id: string): Promise<Row<'folders'> | undefined> {
      return db.selectFrom('folders').selectAll().where('id', '=', id).executeTakeFirst();
    },
    /** The folder and all that it lies in, nearest first. */
    async ancestry(id: string): Promise<string[]> {
      const path: string[] = [];
      for (let at: string | null = id; at !== null && !path.includes(at);) {
        path.push(at);
        at = (await this.find(at))?.parent_id ?? null;
      }
      return path;
    },
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
    /** How much still lies in it. */
    async contents(id: string): Promise<{ assets: number; folders: number }> {
      const assets = await db
        .selectFrom('assets')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('folder_id', '=', id)
        .executeTakeFirstOrThrow();
      const folders = await db
        .selectFrom('folders')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('parent_id', '=', id)
        .executeTakeFirstOrThrow();
      return { assets: assets.n, folders: folders.n };
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('folders').where('id', '=', id).execute();
    },
  };
}
