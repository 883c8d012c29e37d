import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import type { NewRow, Row } from './schema.ts';

/** First responses to requests that carried an Idempotency-Key. */
export function idempotentResponseRepository(db: Db) {
  return {
    async find(
      keyId: string,
      idempotencyKey: string,
      sinceMs: number,
    ): Promise<Row<'idempotent_answers'> | undefined> {
      return db
        .selectFrom('idempotent_answers')
        .selectAll()
        .where('key_id', '=', keyId)
        .where('idempotency_key', '=', idempotencyKey)
        .where('created_at', '>', sinceMs)
        .executeTakeFirst();
    },
    async save(row: NewRow<'idempotent_answers'>): Promise<void> {
      await db
        .insertInto('idempotent_answers')
        .values(row)
        .onConflict((conflict) => conflict.columns(['key_id', 'idempotency_key']).doUpdateSet(row))
        .execute();
    },
    async deleteBefore(beforeMs: number): Promise<void> {
      await deleteInBatches(db, 'idempotent_answers', sql<SqlBool>`created_at < ${beforeMs}`);
    },
  };
}
