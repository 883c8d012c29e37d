import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from './db.ts';
import type { Row } from './schema.ts';

/** A session with what its person may do. */
export interface SessionCredential {
  id: string;
  user_id: string;
  expires_at: number;
  last_used_at: number;
  name: string;
  role: Row<'users'>['role'];
  disabled_at: number | null;
  all_stores: number;
  /** Ids, separated by commas; null for none. */
  stores: string | null;
}

/** Reads the sessions whose `token_hash` meets the condition. Both engines understand it. */
export const SESSION_CREDENTIALS = `
  select token_hash, s.id, s.user_id, s.expires_at, s.last_used_at, u.name, u.role, u.disabled_at, u.all_stores,
    (select string_agg(store_id, ',') from user_stores where user_id = u.id) as stores
  from sessions s join users u on u.id = s.user_id where token_hash`;

export function sessionRepository(db: Db) {
  const deleteWhere = async (condition: RawBuilder<unknown>): Promise<number> => {
    const { numAffectedRows } = await sql`delete from sessions where ${condition}`.execute(db);
    return Number(numAffectedRows ?? 0n);
  };
  return {
    /** Newest first; without those that have ended. */
    listOf: async (userId: string, liveSince: { nowMs: number; usedSinceMs: number }) =>
      (
        await sql<Row<'sessions'>>`select * from sessions where user_id = ${userId}
          and expires_at > ${liveSince.nowMs} and last_used_at > ${liveSince.usedSinceMs} order by created_at desc, id desc`.execute(
          db,
        )
      ).rows,
    /** Whether the session has not ended, and its person is not disabled. Its use is not looked at. */
    async isLive(id: string, nowMs: number): Promise<boolean> {
      const { rows } = await sql`select s.id from sessions s join users u on u.id = s.user_id
        where s.id = ${id} and s.expires_at > ${nowMs} and u.disabled_at is null`.execute(db);
      return rows.length > 0;
    },
    /** Whether the person has signed in from the address, and not out again. */
    async isUsedFrom(userId: string, address: string): Promise<boolean> {
      const { rows } = await sql`select id from sessions where user_id = ${userId} and address = ${address}
        limit 1`.execute(db);
      return rows.length > 0;
    },
    /** A session of the person; false if there is none with this id. */
    end: async (userId: string, id: string): Promise<boolean> =>
      (await deleteWhere(sql`user_id = ${userId} and id = ${id}`)) > 0,
    endByHash: (hash: string): Promise<number> => deleteWhere(sql`token_hash = ${hash}`),
    /** All of the person, but one, and the links that have not been used; returns how many sessions. */
    async endAll(userId: string, exceptId = ''): Promise<number> {
      await sql`delete from sign_in_steps where value = ${userId}
        and (identifier like 'sign-in %' or identifier like 'reset %')`.execute(db);
      return deleteWhere(sql`user_id = ${userId} and id <> ${exceptId}`);
    },
    async setLastUsed(id: string, atMs: number): Promise<void> {
      await db.updateTable('sessions').set({ last_used_at: atMs }).where('id', '=', id).execute();
    },
    async deleteEnded(nowMs: number, unusedSinceMs: number): Promise<void> {
      await deleteWhere(sql`expires_at <= ${nowMs} or last_used_at <= ${unusedSinceMs}`);
      await db.deleteFrom('sign_in_steps').where('expires_at', '<=', nowMs).execute();
    },
  };
}
