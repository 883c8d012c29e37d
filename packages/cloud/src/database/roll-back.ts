import type { Db } from './db.ts';
import type { Storage } from './storage.ts';

/** Ends a transaction that is not to be committed. */
class RolledBack extends Error {}

/** Runs in a transaction that is rolled back, and returns the result. */
export async function rollBack<T>(
  storage: Pick<Storage, 'transaction'>,
  run: (trx: Db) => Promise<T>,
): Promise<T> {
  let outcome: { result: T } | null = null;
  try {
    await storage.transaction(async (trx) => {
      outcome = { result: await run(trx) };
      throw new RolledBack();
    }, {});
  } catch (error) {
    if (!(error instanceof RolledBack && outcome)) {
      throw error;
    }
  }
  return outcome!.result;
}
