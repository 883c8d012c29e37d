import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { DatabaseSchema } from './schema.ts';

/** The widest rows, with two indexes, take 3 ms; a thousand of them took 24. */
const BATCH_ROWS = 200;

/** Deletes the matching rows, some at a time, yielding to the event loop after each batch. */
export async function deleteInBatches(
  db: Db,
  table: keyof DatabaseSchema,
  condition: Expression<SqlBool>,
): Promise<void> {
  const { place } = engineOf(db);
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${place} in (
      select ${place} from ${sql.table(table)} where ${condition} limit ${BATCH_ROWS})`.execute(db);
    if ((numAffectedRows ?? 0n) < BigInt(BATCH_ROWS)) {
      return;
    }
    await setImmediate();
  }
}
