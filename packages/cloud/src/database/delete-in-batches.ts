import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './open-database.ts';
import type { DatabaseSchema } from './schema.ts';

/** The widest rows, with two indexes, take 3 ms; a thousand of them took 24. */
const BATCH_ROWS = 200;

/** Deletes the matching rows, some at a time, yielding to the event loop after each batch. */
export async function deleteInBatches(
  db: Db,
  table: keyof DatabaseSchema,
  condition: Expression<SqlBool>,
): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where rowid in (
      select rowid from ${sql.table(table)} where ${condition} limit ${BATCH_ROWS})`.execute(db);
    if ((numAffectedRows ?? 0n) < BigInt(BATCH_ROWS)) {
      return;
    }
    await setImmediate();
  }
}
