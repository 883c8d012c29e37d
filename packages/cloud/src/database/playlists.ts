import type { AssetType } from '@placard/protocol';
import { sql } from 'kysely';
import type { MediaFormat } from '../domain/media-formats.ts';
import type { Db } from './db.ts';
import {
  containsText,
  countRows,
  deleteById,
  findNames,
  queryInBatches,
  selectPage,
  slicesOf,
} from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';
import { isWithinStores } from './targets-of-stores.ts';

export interface PlaylistSummaryRow extends Row<'playlists'> {
  item_count: number;
  /** Seconds, not rounded. */
  total_duration: number;
}

export interface PlaylistItemRow extends Row<'playlist_items'> {
  name: string;
  type: AssetType;
  format: MediaFormat;
  sha256: string;
  thumbnail: string | null;
  /** Natural length of a video in seconds. */
  natural_duration: number | null;
}

const VIDEO_COLUMNS = [
  'assets.id',
  'assets.name',
  'assets.codec',
  'assets.width',
  'assets.height',
  'assets.frame_rate',
] as const;
/** A video of a playlist. */
export type PlaylistVideoRow = Pick<Row<'playlist_items'>, 'playlist_id'> &
  Pick<Row<'assets'>, 'id' | 'name' | 'codec' | 'width' | 'height' | 'frame_rate'>;

export interface PlaylistFilter extends ListQuery {
  search?: string | undefined;
  /** Only playlists with this asset. */
  content_id?: string | undefined;
}

const usesContent = (contentId: string | undefined) =>
  contentId === undefined
    ? []
    : [sql<boolean>`id in (select playlist_id from playlist_items where content_id = ${contentId})`];

export function playlistRepository(db: Db) {
  const withTotals = async (playlists: readonly Row<'playlists'>[]): Promise<PlaylistSummaryRow[]> => {
    if (playlists.length === 0) {
      return [];
    }
    const sums = await db
      .selectFrom('playlist_items')
      .leftJoin('assets', 'assets.id', 'playlist_items.content_id')
      .where(
        'playlist_id',
        'in',
        playlists.map(({ id }) => id),
      )
      .groupBy('playlist_id')
      .select((eb) => [
        'playlist_id',
        eb.fn.countAll<number>().as('item_count'),
        eb.fn
          .sum<number>(eb.fn.coalesce('playlist_items.duration', 'assets.duration', eb.val(0)))
          .as('total_duration'),
      ])
      .execute();
    const byId = new Map(sums.map(({ playlist_id, ...sum }) => [playlist_id, sum]));
    return playlists.map((row) => ({
      ...row,
      ...(byId.get(row.id) ?? { item_count: 0, total_duration: 0 }),
    }));
  };

  return {
    async list(filter: PlaylistFilter): Promise<Page<PlaylistSummaryRow>> {
      const page = await selectPage(db, 'playlists', filter, {
        and: [...containsText(db, 'name', filter.search), ...usesContent(filter.content_id)],
      });
      return { ...page, rows: await withTotals(page.rows) };
    },
    async find(id: string): Promise<PlaylistSummaryRow | undefined> {
      const rows = await db.selectFrom('playlists').selectAll().where('id', '=', id).execute();
      return (await withTotals(rows))[0];
    },
    findNames: (ids: readonly string[]): Promise<Map<string, string>> => findNames(db, 'playlists', ids),
    async items(playlistId: string): Promise<PlaylistItemRow[]> {
      return db
        .selectFrom('playlist_items')
        .innerJoin('assets', 'assets.id', 'playlist_items.content_id')
        .selectAll('playlist_items')
        .select([
          'assets.name',
          'assets.type',
          'assets.format',
          'assets.sha256',
          'assets.thumbnail',
          'assets.duration as natural_duration',
        ])
        .where('playlist_items.playlist_id', '=', playlistId)
        .orderBy('playlist_items.position')
        .execute();
    },
    /** The videos of these playlists of which the codec is known, each once for a playlist. */
    async listVideos(playlistIds: readonly string[]): Promise<PlaylistVideoRow[]> {
      return queryInBatches(playlistIds, (slice) =>
        db
          .selectFrom('playlist_items')
          .innerJoin('assets', 'assets.id', 'playlist_items.content_id')
          .select(['playlist_items.playlist_id', ...VIDEO_COLUMNS])
          .distinct()
          .where('playlist_items.playlist_id', 'in', slice)
          .where('assets.codec', 'is not', null)
          .orderBy('playlist_items.playlist_id')
          .orderBy('assets.id')
          .execute(),
      );
    },
    async countAll(): Promise<{ playlists: number; items: number }> {
      return {
        playlists: await countRows(db, 'playlists'),
        items: await countRows(db, 'playlist_items'),
      };
    },
    async insert(row: NewRow<'playlists'>): Promise<void> {
      await db.insertInto('playlists').values(row).execute();
    },
    async update(id: string, change: RowChange<'playlists'>, nowMs: number): Promise<void> {
      await db
        .updateTable('playlists')
        .set({ ...change, updated_at: nowMs })
        .where('id', '=', id)
        .execute();
    },
    /** Replaces all items, in the given order. */
    async replaceItems(
      playlistId: string,
      items: readonly { id: string; content_id: string; duration: number | null; weight: number | null }[],
    ): Promise<void> {
      await db.deleteFrom('playlist_items').where('playlist_id', '=', playlistId).execute();
      const rows = items.map((item, position) => ({ ...item, playlist_id: playlistId, position }));
      for (const slice of slicesOf(rows, 1000)) {
        await db.insertInto('playlist_items').values(slice).execute();
      }
    },
    /** Removes an asset from the playlists and closes the gaps in their positions. */
    async removeContent(
      assetId: string,
      playlistIds: readonly string[],
      yieldIfLong: () => Promise<void>,
    ): Promise<void> {
      await db.deleteFrom('playlist_items').where('content_id', '=', assetId).execute();
      for (const id of playlistIds) {
        await sql`update playlist_items set position = ranked.place
          from (
            select id, row_number() over (order by position) - 1 as place
            from playlist_items where playlist_id = ${id}
          ) as ranked
          where playlist_items.id = ranked.id and playlist_items.position <> ranked.place`.execute(db);
        await yieldIfLong();
      }
    },
    /** The playlists with an asset; on request only those with an item of it that has no duration. */
    async listByAsset(
      assetId: string,
      { withoutDuration = false } = {},
    ): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('playlists')
        .select(['id', 'name'])
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('playlist_items')
            .select('playlist_id')
            .where('content_id', '=', assetId)
            .$if(withoutDuration, (query) => query.where('duration', 'is', null)),
        )
        .orderBy('id')
        .execute();
    },
    async schedulesUsing(playlistId: string): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('schedules')
        .select(['id', 'name'])
        .where('id', 'in', (eb) =>
          eb.selectFrom('schedule_rules').select('schedule_id').where('playlist_id', '=', playlistId),
        )
        .orderBy('id')
        .execute();
    },
    /** Whether it is deployed, or scheduled by any schedule, for others than these stores and devices in them. */
    async isShownElsewhere(playlistId: string, stores: readonly string[]): Promise<boolean> {
      const { rows } = await sql`select 1 from deployment_targets
          where deployment_id in (select id from deployments where playlist_id = ${playlistId})
            and not ${isWithinStores(stores)}
        union all
        select 1 from schedule_targets
          where schedule_id in (select schedule_id from schedule_rules where playlist_id = ${playlistId})
            and not ${isWithinStores(stores)}
        limit 1`.execute(db);
      return rows.length > 0;
    },
    delete: (id: string): Promise<void> => deleteById(db, 'playlists', id),
  };
}
