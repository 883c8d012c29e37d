import type { AssetType } from '@placard/protocol';
import type { Db } from './database.ts';
import { contains, groupBy, inSlices, offsetOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export type AssetRow = Row<'assets'> & { tags: string[] };

export interface AssetFilter extends Paging {
  type?: AssetType | undefined;
  tag?: string | undefined;
  folderId?: string | undefined;
  search?: string | undefined;
}

export function assetRepository(db: Db) {
  const withTags = async (rows: Row<'assets'>[]): Promise<AssetRow[]> => {
    const found = await inSlices(
      rows.map((row) => row.id),
      (ids) =>
        db
          .selectFrom('asset_tags')
          .selectAll()
          .where('asset_id', 'in', ids)
          .orderBy('asset_id')
          .orderBy('position')
          .execute(),
    );
    const tags = groupBy(found, (row) => row.asset_id);
    return rows.map((row) => ({ ...row, tags: (tags.get(row.id) ?? []).map((tag) => tag.tag) }));
  };

  const writeTags = async (id: string, tags: readonly string[]): Promise<void> => {
    await db.deleteFrom('asset_tags').where('asset_id', '=', id).execute();
    if (tags.length > 0)
      await db
        .insertInto('asset_tags')
        .values(tags.map((tag, position) => ({ asset_id: id, tag, position })))
        .execute();
  };

  return {
    async list(filter: AssetFilter): Promise<Page<AssetRow>> {
      const { type, tag, folderId, search } = filter;
      let query = db.selectFrom('assets');
      if (type !== undefined) query = query.where('type', '=', type);
      if (folderId !== undefined) query = query.where('folder_id', '=', folderId);
      if (search !== undefined && search !== '') query = query.where(contains('assets.name', search));
      if (tag !== undefined)
        query = query.where('id', 'in', (eb) =>
          eb.selectFrom('asset_tags').select('asset_id').where('tag', '=', tag),
        );
      const rows = await query
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(filter.limit)
        .offset(offsetOf(filter))
        .execute();
      const count = await query.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
      return { rows: await withTags(rows), total: count.n };
    },
    async find(id: string): Promise<AssetRow | undefined> {
      const row = await db.selectFrom('assets').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? (await withTags([row]))[0] : undefined;
    },
    /** Those of the ids that exist, by id. */
    async findMany(ids: readonly string[]): Promise<Map<string, Row<'assets'>>> {
      const rows = await inSlices([...new Set(ids)], (slice) =>
        db.selectFrom('assets').selectAll().where('id', 'in', slice).execute(),
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    async insert(row: NewRow<'assets'>, tags: readonly string[]): Promise<void> {
      await db.insertInto('assets').values(row).execute();
      await writeTags(row.id, tags);
    },
    async update(
      id: string,
      change: {
        name?: string | undefined;
        folder_id?: string | null | undefined;
        tags?: readonly string[] | undefined;
      },
      nowMs: number,
    ): Promise<void> {
      const { tags, ...columns } = change;
      await db
        .updateTable('assets')
        .set({ ...columns, updated_at: nowMs })
        .where('id', '=', id)
        .execute();
      if (tags !== undefined) await writeTags(id, tags);
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('assets').where('id', '=', id).execute();
    },
    /** Does some asset need these bytes, as its file or as its small picture? */
    async usesBlob(sha256: string): Promise<boolean> {
      const row = await db
        .selectFrom('assets')
        .select('id')
        .where((eb) => eb.or([eb('sha256', '=', sha256), eb('thumbnail', '=', `${sha256}.webp`)]))
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Every blob name in use. */
    async blobNames(): Promise<Set<string>> {
      const rows = await db.selectFrom('assets').select(['sha256', 'thumbnail']).execute();
      return new Set(rows.flatMap((row) => [row.sha256, ...(row.thumbnail ? [row.thumbnail] : [])]));
    },
  };
}
