import type { RenditionFailure, RenditionKind } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { queryInBatches } from './paging.ts';
import type { Row } from './schema.ts';

type Columns = Row<'renditions'>;

/** Which copy of which file. */
export type RenditionKey = Pick<Columns, 'content_id' | 'kind' | 'source_sha256'>;

/** What is known of a file that was made. */
export type RenditionColumns = {
  [Name in 'sha256' | 'size' | 'format' | 'width' | 'height']: NonNullable<Columns[Name]>;
} & Pick<Columns, 'codec' | 'frame_rate' | 'duration'>;

/** One that is ready. */
export type ReadyRendition = RenditionKey & RenditionColumns;

/** One that this node is to make. */
export interface ClaimedRendition extends RenditionKey {
  attempts: number;
  leased_until: number;
  /** Of the original. */
  duration: number | null;
  frame_rate: number | null;
}

const NO_FILE = {
  sha256: null,
  size: null,
  format: null,
  width: null,
  height: null,
  codec: null,
  frame_rate: null,
  duration: null,
};

export function renditionRepository(db: Db) {
  /** Those of the files that the assets have now. */
  const current = () =>
    db
      .selectFrom('renditions')
      .innerJoin('assets', (join) =>
        join
          .onRef('assets.id', '=', 'renditions.content_id')
          .onRef('assets.sha256', '=', 'renditions.source_sha256'),
      );
  /** The row while nobody else has claimed it. */
  const claimed = ({ content_id, kind, source_sha256, leased_until }: ClaimedRendition) =>
    db
      .updateTable('renditions')
      .where('content_id', '=', content_id)
      .where('kind', '=', kind)
      .where('source_sha256', '=', source_sha256)
      .where('state', '=', 'making')
      .where('leased_until', '=', leased_until);

  return {
    list: (contentId: string): Promise<Columns[]> =>
      current()
        .selectAll('renditions')
        .where('renditions.content_id', '=', contentId)
        .orderBy('renditions.kind')
        .execute(),
    find: (contentId: string, kind: RenditionKind): Promise<Columns | undefined> =>
      current()
        .selectAll('renditions')
        .where('renditions.content_id', '=', contentId)
        .where('renditions.kind', '=', kind)
        .executeTakeFirst(),
    /** Those of the assets that are ready, by asset. */
    async findReady(contentIds: readonly string[]): Promise<Map<string, ReadyRendition>> {
      const rows = await queryInBatches(contentIds, (slice) =>
        current()
          .selectAll('renditions')
          .where('renditions.content_id', 'in', slice)
          .where('renditions.state', '=', 'ready')
          .execute(),
      );
      return new Map(rows.flatMap((row) => (isReady(row) ? [[row.content_id, row]] : [])));
    },
    /** Wants one; a failed one and one of an earlier file begin again, any other stays as it is. */
    async want({ content_id, kind, source_sha256 }: RenditionKey, nowMs: number): Promise<void> {
      const columns = {
        source_sha256,
        state: 'wanted' as const,
        attempts: 0,
        leased_until: null,
        failure: null,
        message: null,
        ...NO_FILE,
        created_at: nowMs,
        updated_at: nowMs,
      };
      await db
        .insertInto('renditions')
        .values({ content_id, kind, ...columns })
        .onConflict((conflict) =>
          conflict
            .columns(['content_id', 'kind'])
            .doUpdateSet(columns)
            .where((eb) =>
              eb.or([
                eb('renditions.state', '=', 'failed'),
                eb('renditions.source_sha256', '!=', source_sha256),
              ]),
            ),
        )
        .execute();
    },
    /** The next one that nobody makes, or whose node was lost, now claimed until then. */
    async claim(
      kinds: readonly RenditionKind[],
      nowMs: number,
      untilMs: number,
    ): Promise<ClaimedRendition | null> {
      const row = await current()
        .select(['renditions.content_id', 'renditions.kind', 'renditions.source_sha256'])
        .select(['renditions.attempts', 'assets.duration', 'assets.frame_rate'])
        .where('renditions.kind', 'in', kinds)
        .where('renditions.state', 'in', ['wanted', 'making'])
        .where((eb) =>
          eb.or([eb('renditions.leased_until', 'is', null), eb('renditions.leased_until', '<', nowMs)]),
        )
        // Short videos do not wait for a film.
        .orderBy(sql`coalesce(assets.duration, 0)`)
        .orderBy('renditions.created_at')
        .limit(1)
        .executeTakeFirst();
      if (!row) {
        return null;
      }
      const attempts = row.attempts + 1;
      const { numUpdatedRows } = await db
        .updateTable('renditions')
        .set({ state: 'making', attempts, leased_until: untilMs, updated_at: nowMs })
        .where('content_id', '=', row.content_id)
        .where('kind', '=', row.kind)
        // Another node may just have claimed it.
        .where('attempts', '=', row.attempts)
        .executeTakeFirst();
      return numUpdatedRows > 0n ? { ...row, attempts, leased_until: untilMs } : null;
    },
    /**
     * Claims it for longer, from now on with these attempts; false when it is no longer claimed, because it was deleted,
     * replaced or taken over.
     */
    async renew(claim: ClaimedRendition, untilMs: number, attempts: number): Promise<boolean> {
      const { numUpdatedRows } = await claimed(claim)
        .set({ leased_until: untilMs, attempts })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Leaves it to the next turn, with the attempts that count. */
    async release(claim: ClaimedRendition, attempts: number): Promise<void> {
      await claimed(claim).set({ state: 'wanted', attempts, leased_until: null }).execute();
    },
    /** Leaves it to a turn after this time; the attempt counts. */
    async postpone(claim: ClaimedRendition, untilMs: number): Promise<void> {
      const { attempts } = claim;
      await claimed(claim).set({ state: 'wanted', attempts, leased_until: untilMs }).execute();
    },
    /** Its file is there; false when it is no longer claimed. */
    async finish(claim: ClaimedRendition, file: RenditionColumns, nowMs: number): Promise<boolean> {
      const { numUpdatedRows } = await claimed(claim)
        .set({ state: 'ready', leased_until: null, ...file, updated_at: nowMs })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async fail(
      claim: ClaimedRendition,
      { failure, message }: { failure: RenditionFailure; message: string },
      nowMs: number,
    ): Promise<void> {
      await claimed(claim)
        .set({ state: 'failed', leased_until: null, failure, message, updated_at: nowMs })
        .execute();
    },
    /** Whether somebody waits for one of this file. */
    async isPending(kind: RenditionKind, sourceSha256: string): Promise<boolean> {
      const row = await current()
        .select('renditions.content_id')
        .where('renditions.kind', '=', kind)
        .where('renditions.source_sha256', '=', sourceSha256)
        .where('renditions.state', 'in', ['wanted', 'making'])
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Deletes those of an asset. */
    async delete(contentId: string): Promise<void> {
      await db.deleteFrom('renditions').where('content_id', '=', contentId).execute();
    },
    /** Deletes those of files that their assets no longer have: a node of an earlier version has replaced them. */
    async deleteOutdated(): Promise<void> {
      await db
        .deleteFrom('renditions')
        .where(
          sql<SqlBool>`not exists (select 1 from assets
            where assets.id = renditions.content_id and assets.sha256 = renditions.source_sha256)`,
        )
        .execute();
    },
    async isBlobUsed(sha256: string): Promise<boolean> {
      const row = await db
        .selectFrom('renditions')
        .select('content_id')
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Assets in the order of their ids, with the kinds that there are rows of. */
    async listAssetsAfter(id: string, limit: number) {
      const assets = await db
        .selectFrom('assets')
        .select(['id', 'type', 'codec', 'width', 'height', 'frame_rate', 'sha256'])
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit)
        .execute();
      const rows = await queryInBatches(
        assets.map((asset) => asset.id),
        (slice) =>
          current()
            .select(['renditions.content_id', 'renditions.kind'])
            .where('renditions.content_id', 'in', slice)
            .execute(),
      );
      const known = Map.groupBy(rows, (row) => row.content_id);
      return assets.map((asset) => ({
        ...asset,
        kinds: (known.get(asset.id) ?? []).map(({ kind }) => kind),
      }));
    },
  };
}

const isReady = (row: Columns): row is Columns & ReadyRendition =>
  row.state === 'ready' &&
  row.sha256 !== null &&
  row.size !== null &&
  row.format !== null &&
  row.width !== null &&
  row.height !== null;
