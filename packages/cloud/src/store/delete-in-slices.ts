import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './database.ts';
import type { Database } from './schema.ts';

const ROWS_OF_A_SLICE = 1000;

/** Deletes the rows for which the condition holds, a thousand at a time; others have their turn after each. */
export async function deleteInSlices(
  db: Db,
  table: keyof Database,
  condition: Expression<SqlBool>,
): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where rowid in (
      select rowid from ${sql.table(table)} where ${condition} limit ${ROWS_OF_A_SLICE})`.execute(db);
    if ((numAffectedRows ?? 0n) < BigInt(ROWS_OF_A_SLICE)) return;
    await setImmediate();
  }
}
