import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import type { RowCondition, SignInRow, SignInTable, SignInTables } from '../database/sign-in-tables.ts';

/** The tables of sign-in outside of a transaction: each change is one of its own. */
export function autonomousSignInTables(
  database: Pick<CloudDatabase, 'transaction' | 'signInTables'>,
): SignInTables & { consume(table: SignInTable, where: readonly RowCondition[]): Promise<SignInRow | null> } {
  const inTransaction = <T>(run: (tables: Transaction['signInTables']) => Promise<T>): Promise<T> =>
    database.transaction((tx) => run(tx.signInTables), { freesSpace: true });
  return {
    ...database.signInTables,
    insert: (table, row) => inTransaction((tables) => tables.insert(table, row)),
    update: (...args) => inTransaction((tables) => tables.update(...args)),
    delete: (table, where) => inTransaction((tables) => tables.delete(table, where)),
    secret: (made) => inTransaction((tables) => tables.secret(made)),
    /** Deletes a row and returns it; of several callers at the same time one gets it, the others null. */
    consume: (table, where) =>
      inTransaction(async (tables) => {
        const [row] = await tables.select(table, { where, limit: 1 });
        if (!row) {
          return null;
        }
        await tables.delete(table, [{ column: 'id', operator: '=', value: row['id'] ?? '' }]);
        return row;
      }),
  };
}
