import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { DatabaseSchema } from './schema.ts';

/** The widest rows, with two indexes, take 3 ms; a thousand of them took 24. */
const BATCH_ROWS = 200;

/** Deletes the matching rows, some at a time, yielding to the event loop after each batch. Those in partitions stay. */
export async function deleteInBatches(
  db: Db,
  table: keyof DatabaseSchema,
  condition: Expression<SqlBool>,
): Promise<void> {
  const { place, outsidePartitions } = engineOf(db);
  const rows = sql.table(outsidePartitions(table));
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${rows} where ${place} in (
      select ${place} from ${rows} where ${condition} limit ${BATCH_ROWS})`.execute(db);
    if ((numAffectedRows ?? 0n) < BigInt(BATCH_ROWS)) {
      return;
    }
    await setImmediate();
  }
}
