import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { countRows, deleteById, findById, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export interface UserRow extends Row<'users'> {
  /** Ids of the stores that the person is bound to; null for all. */
  stores: string[] | null;
}

/** How a person signs in with a password. */
const PASSWORD_PROVIDER = 'credential';

export function userRepository(db: Db) {
  const withStores = async (users: readonly Row<'users'>[]): Promise<UserRow[]> => {
    const bound = users.filter(({ all_stores: all }) => all === 0).map(({ id }) => id);
    const rows =
      bound.length === 0
        ? []
        : await db
            .selectFrom('user_stores')
            .selectAll()
            .where('user_id', 'in', bound)
            .orderBy('store_id')
            .execute();
    return users.map((user) => ({
      ...user,
      stores:
        user.all_stores === 1
          ? null
          : rows.filter(({ user_id: id }) => id === user.id).map(({ store_id: storeId }) => storeId),
    }));
  };

  const setStores = async (id: string, stores: readonly string[] | null): Promise<void> => {
    await db.deleteFrom('user_stores').where('user_id', '=', id).execute();
    if (stores && stores.length > 0) {
      await db
        .insertInto('user_stores')
        .values(stores.map((storeId) => ({ user_id: id, store_id: storeId })))
        .execute();
    }
    await db
      .updateTable('users')
      .set({ all_stores: stores ? 0 : 1 })
      .where('id', '=', id)
      .execute();
  };

  return {
    /** `search`: part of the name or of the e-mail address. */
    async list(filter: ListQuery & { search?: string | undefined }): Promise<Page<UserRow>> {
      const text = filter.search?.toLowerCase() ?? '';
      const engine = engineOf(db);
      const and: Expression<SqlBool>[] =
        text === ''
          ? []
          : [sql<SqlBool>`(${engine.contains('name', text)} or ${engine.contains('email', text)})`];
      const page = await selectPage(db, 'users', filter, { and });
      return { ...page, rows: await withStores(page.rows) };
    },
    async find(id: string): Promise<UserRow | undefined> {
      const row = await findById(db, 'users', id);
      return row && (await withStores([row]))[0];
    },
    /** `email` in lower case. */
    findByEmail: (email: string): Promise<Row<'users'> | undefined> =>
      db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst(),
    count: (): Promise<number> => countRows(db, 'users'),
    /** Admins, other than `id`, who can sign in. */
    countOtherAdmins: (id: string): Promise<number> =>
      countRows(db, 'users', { equal: { role: 'Admin' }, and: [sql`id <> ${id}`, sql`disabled_at is null`] }),
    async insert(row: NewRow<'users'>, stores: readonly string[] | null): Promise<void> {
      await db.insertInto('users').values(row).execute();
      await setStores(row.id, stores);
    },
    async update(id: string, change: RowChange<'users'>): Promise<void> {
      await db.updateTable('users').set(change).where('id', '=', id).execute();
    },
    setStores,
    delete: (id: string): Promise<void> => deleteById(db, 'users', id),
    /** Sets the hash of the password; `id` is for the row if the person had none. */
    async setPassword(id: string, row: { user_id: string; password: string }, nowMs: number): Promise<void> {
      const { numUpdatedRows } = await db
        .updateTable('user_accounts')
        .set({ password: row.password, updated_at: nowMs })
        .where('user_id', '=', row.user_id)
        .where('provider', '=', PASSWORD_PROVIDER)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) {
        return;
      }
      await db
        .insertInto('user_accounts')
        .values({
          ...row,
          id,
          provider: PASSWORD_PROVIDER,
          account_id: row.user_id,
          issuer: `local:${PASSWORD_PROVIDER}`,
          created_at: nowMs,
          updated_at: nowMs,
        })
        .execute();
    },
    /** Signing in needs no code any more. */
    async removeSecondFactor(id: string): Promise<void> {
      await db.deleteFrom('second_factors').where('user_id', '=', id).execute();
      await db.updateTable('users').set({ has_totp: 0 }).where('id', '=', id).execute();
    },
    listPasskeys: (id: string): Promise<Row<'passkeys'>[]> =>
      db.selectFrom('passkeys').selectAll().where('user_id', '=', id).orderBy('created_at').execute(),
    async deletePasskey(id: string, passkeyId: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('passkeys')
        .where('user_id', '=', id)
        .where('id', '=', passkeyId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
