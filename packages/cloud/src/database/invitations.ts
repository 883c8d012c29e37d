import { sql } from 'kysely';
import type { Db } from './db.ts';
import { countRows, findById, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

/** Who made the invitation of the first start. */
export const FIRST_START = 'first start';

const open = (nowMs: number) =>
  sql<boolean>`accepted_at is null and revoked_at is null and expires_at > ${nowMs}`;

/** Links with which people sign up. */
export function invitationRepository(db: Db) {
  return {
    /** Those that can still be accepted. */
    listOpen: (query: ListQuery, nowMs: number): Promise<Page<Row<'invitations'>>> =>
      selectPage(db, 'invitations', query, { and: [open(nowMs)] }),
    countOpen: (nowMs: number): Promise<number> => countRows(db, 'invitations', { and: [open(nowMs)] }),
    find: (id: string) => findById(db, 'invitations', id),
    findOpen: (tokenHash: string, nowMs: number): Promise<Row<'invitations'> | undefined> =>
      db
        .selectFrom('invitations')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where(open(nowMs))
        .executeTakeFirst(),
    /** The newest one for this e-mail address, which is in lower case. */
    findOpenFor: (email: string, nowMs: number): Promise<Row<'invitations'> | undefined> =>
      db
        .selectFrom('invitations')
        .selectAll()
        .where('email', '=', email)
        .where(open(nowMs))
        .orderBy('created_at', 'desc')
        .executeTakeFirst(),
    async insert(row: NewRow<'invitations'>): Promise<void> {
      await db.insertInto('invitations').values(row).execute();
    },
    async accept(id: string, userId: string, nowMs: number): Promise<void> {
      await db
        .updateTable('invitations')
        .set({ accepted_at: nowMs, accepted_by: userId })
        .where('id', '=', id)
        .execute();
    },
    async revoke(id: string, nowMs: number): Promise<void> {
      await db.updateTable('invitations').set({ revoked_at: nowMs }).where('id', '=', id).execute();
    },
    /** Revokes those of the first start, which are for when there is nobody yet. */
    async revokeFirst(nowMs: number): Promise<void> {
      await db
        .updateTable('invitations')
        .set({ revoked_at: nowMs })
        .where('created_by', '=', FIRST_START)
        .where(open(nowMs))
        .execute();
    },
    async deleteBefore(beforeMs: number): Promise<void> {
      await db.deleteFrom('invitations').where('expires_at', '<', beforeMs).execute();
    },
  };
}
