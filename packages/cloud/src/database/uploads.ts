import type { UploadState } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { deleteById, findById, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export interface UploadFilter extends ListQuery {
  state?: UploadState | undefined;
}

/** A part of a file in a bucket. */
export type UploadPart = Omit<Row<'upload_parts'>, 'upload_id'>;

/** How far an upload has come. */
export interface UploadProgress {
  /** Where it was before. */
  from: number;
  to: number;
  parts: readonly UploadPart[];
  nowMs: number;
  expiresMs: number;
}

/** What becomes of an upload in the end. */
export interface UploadOutcome {
  assetId: string | null;
  /** JSON; null when there is an asset. */
  error: string | null;
  nowMs: number;
  expiresMs: number;
}

/**
 * For this long after its last byte a complete upload is left to the request that sent it: between that byte and the claim of
 * the request, the job of another node must not claim it, because the response would have no asset.
 */
const LEFT_TO_REQUEST_MS = 10_000;

/** Uploads that need several requests. Each change names the state that it is for, so that of two at once one is made. */
export function uploadRepository(db: Db) {
  return {
    list: (filter: UploadFilter): Promise<Page<Row<'uploads'>>> =>
      selectPage(db, 'uploads', filter, { equal: { state: filter.state } }),
    find: (id: string) => findById(db, 'uploads', id),
    async insert(row: NewRow<'uploads'>): Promise<void> {
      await db.insertInto('uploads').values(row).execute();
    },
    /** Unfinished uploads, and the bytes of their whole files; of one key or person, or of all. */
    async countUnfinished(actorId: string | null): Promise<{ count: number; bytes: number }> {
      const ofActor = actorId === null ? sql`` : sql`and actor_id = ${actorId}`;
      const { rows } = await sql<{ count: number; bytes: number }>`
        select count(*) as count, cast(coalesce(sum(size), 0) as bigint) as bytes from uploads
        where state in ('receiving', 'processing') ${ofActor}`.execute(db);
      return rows[0] ?? { count: 0, bytes: 0 };
    },
    /** False if the upload is no longer where it was: another request has continued it, or it is gone. */
    async advance(id: string, { from, to, parts, nowMs, expiresMs }: UploadProgress): Promise<boolean> {
      const { numAffectedRows } = await sql`update uploads
        set received = ${to}, state = case when size = ${to} then 'processing' else 'receiving' end,
          updated_at = ${nowMs}, expires_at = ${expiresMs}
        where id = ${id} and received = ${from} and state = 'receiving'`.execute(db);
      if (numAffectedRows !== 1n) {
        return false;
      }
      for (const part of parts) {
        await db
          .insertInto('upload_parts')
          .values({ ...part, upload_id: id })
          .execute();
      }
      return true;
    },
    parts: (id: string): Promise<UploadPart[]> =>
      db
        .selectFrom('upload_parts')
        .select(['start', 'size', 'name'])
        .where('upload_id', '=', id)
        .orderBy('start')
        .execute(),
    async countParts(id: string): Promise<{ count: number; bytes: number }> {
      const { rows } = await sql<{ count: number; bytes: number }>`
        select count(*) as count, cast(coalesce(sum(size), 0) as bigint) as bytes from upload_parts
        where upload_id = ${id}`.execute(db);
      return rows[0] ?? { count: 0, bytes: 0 };
    },
    /** Takes over what is left to do for a complete upload; false if somebody else does it, or nothing is left. */
    async claim(id: string, nowMs: number, untilMs: number): Promise<boolean> {
      const { numAffectedRows } = await sql`update uploads set busy_until = ${untilMs}
        where id = ${id} and state = 'processing' and busy_until <= ${nowMs}`.execute(db);
      return numAffectedRows === 1n;
    },
    /** Changes until when nobody else takes it over. */
    async renew(id: string, untilMs: number): Promise<void> {
      await sql`update uploads set busy_until = ${untilMs} where id = ${id} and state = 'processing'`.execute(
        db,
      );
    },
    /** Complete uploads that nobody makes an asset of, ten seconds after their last byte. */
    async listWaiting(nowMs: number, limit: number): Promise<Row<'uploads'>[]> {
      const { rows } = await sql<Row<'uploads'>>`select * from uploads
        where state = 'processing' and busy_until <= ${nowMs} and updated_at <= ${nowMs - LEFT_TO_REQUEST_MS}
        order by updated_at limit ${limit}`.execute(db);
      return rows;
    },
    /** False if the upload has come to its end before. */
    async end(id: string, { assetId, error, nowMs, expiresMs }: UploadOutcome): Promise<boolean> {
      const { numAffectedRows } = await sql`update uploads
        set state = ${assetId === null ? 'failed' : 'finished'}, asset_id = ${assetId}, error = ${error},
          updated_at = ${nowMs}, expires_at = ${expiresMs}
        where id = ${id} and state = 'processing'`.execute(db);
      await db.deleteFrom('upload_parts').where('upload_id', '=', id).execute();
      return numAffectedRows === 1n;
    },
    async listExpired(nowMs: number, limit: number): Promise<Row<'uploads'>[]> {
      const { rows } = await sql<Row<'uploads'>>`select * from uploads
        where expires_at <= ${nowMs} and busy_until <= ${nowMs} order by expires_at limit ${limit}`.execute(
        db,
      );
      return rows;
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('upload_parts').where('upload_id', '=', id).execute();
      await deleteById(db, 'uploads', id);
    },
  };
}
