import type { AssetType } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { containsText, countRows, deleteById, findById, queryInBatches, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';
import { tagTable } from './tags.ts';

export type AssetRow = Row<'assets'> & { tags: string[] };

export interface AssetFilter extends ListQuery {
  type?: AssetType | undefined;
  tag?: string | undefined;
  /** A folder, or `root` for what is in none. */
  folder_id?: string | undefined;
  search?: string | undefined;
}

export function assetRepository(db: Db) {
  const tagged = tagTable(db, 'asset_tags');

  return {
    async list(filter: AssetFilter): Promise<Page<AssetRow>> {
      const { type, tag, folder_id, search } = filter;
      const isRoot = folder_id === 'root';
      const page = await selectPage(db, 'assets', filter, {
        equal: { type, ...(isRoot ? {} : { folder_id }) },
        and: [
          ...containsText(db, 'name', search),
          ...tagged.having(tag),
          ...(isRoot ? [sql<SqlBool>`folder_id is null`] : []),
        ],
      });
      return { ...page, rows: await tagged.attach(page.rows) };
    },
    async find(id: string): Promise<AssetRow | undefined> {
      const row = await findById(db, 'assets', id);
      return row ? (await tagged.attach([row]))[0] : undefined;
    },
    /** The existing assets among the ids, by id. */
    async findByIds(ids: readonly string[]): Promise<Map<string, Row<'assets'>>> {
      const rows = await queryInBatches(ids, (slice) =>
        db.selectFrom('assets').selectAll().where('id', 'in', slice).execute(),
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    count: (): Promise<number> => countRows(db, 'assets'),
    async insert(row: NewRow<'assets'>, tags: readonly string[]): Promise<void> {
      await db.insertInto('assets').values(row).execute();
      await tagged.replace(row.id, tags);
    },
    async update(
      id: string,
      { tags, ...columns }: RowChange<'assets'> & { tags?: readonly string[] | undefined },
      nowMs: number,
    ): Promise<void> {
      await db
        .updateTable('assets')
        .set({ ...columns, updated_at: nowMs })
        .where('id', '=', id)
        .execute();
      if (tags !== undefined) {
        await tagged.replace(id, tags);
      }
    },
    delete: (id: string): Promise<void> => deleteById(db, 'assets', id),
    /** Whether any asset uses the blob as its file or as its thumbnail. */
    async isBlobUsed(sha256: string): Promise<boolean> {
      const row = await db
        .selectFrom('assets')
        .select('id')
        .where((eb) => eb.or([eb('sha256', '=', sha256), eb('thumbnail', '=', `${sha256}.webp`)]))
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Sets the thumbnail (a blob name) of all assets with this file. */
    async setThumbnail(sha256: string, thumbnail: string): Promise<void> {
      await db
        .updateTable('assets')
        .set({ thumbnail, thumbnail_fault: null })
        .where('sha256', '=', sha256)
        .execute();
    },
    /** Stores why no thumbnail could be made of the file. */
    async setThumbnailFault(sha256: string, fault: string): Promise<void> {
      await db
        .updateTable('assets')
        .set({ thumbnail_fault: fault })
        .where('sha256', '=', sha256)
        .where('thumbnail', 'is', null)
        .execute();
    },
    /** Hashes of videos of which the codec was not read yet, oldest first. */
    async withoutCodec(limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('assets')
        .select('sha256')
        .where('type', '=', 'video')
        .where('codec', 'is', null)
        .orderBy('created_at')
        .limit(limit)
        .execute();
      return [...new Set(rows.map(({ sha256 }) => sha256))];
    },
    /** Sets what was read of the video of all assets with this file. */
    async setVideo(sha256: string, video: Pick<Row<'assets'>, 'codec' | 'frame_rate'>): Promise<void> {
      await db
        .updateTable('assets')
        .set(video)
        .where('sha256', '=', sha256)
        .where('type', '=', 'video')
        .execute();
    },
    /** Hashes of videos for which no thumbnail was attempted yet, oldest first. */
    async withoutThumbnail(limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('assets')
        .select('sha256')
        .where('type', '=', 'video')
        .where('thumbnail', 'is', null)
        .where('thumbnail_fault', 'is', null)
        .groupBy('sha256')
        .orderBy((eb) => eb.fn.min('created_at'))
        .limit(limit)
        .execute();
      return rows.map(({ sha256 }) => sha256);
    },
  };
}
