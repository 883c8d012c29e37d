import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** How long each delivery is, and indexes by which a webhook with 20,000 of them is read without their payloads. */
export const deliveryBudget: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('webhook_deliveries')
      .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
    await sql`update webhook_deliveries set bytes = octet_length(payload)`.execute(db);
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`webhook_deliveries_${name}`).on('webhook_deliveries').columns(columns).execute();
    // What comes first about each thing.
    await index('heads', ['webhook_id', 'status', 'resource', 'seq', 'next_attempt_at']);
    // What is due, and how much waits.
    await index('held', ['webhook_id', 'status', 'next_attempt_at', 'bytes']);
    // Pages of the list, and what is oldest.
    await index('listed', ['webhook_id', 'created_at', 'id', 'status', 'bytes']);
    await db.schema.dropIndex('webhook_deliveries_by_webhook_id_created_at').execute();
    await db.schema.dropIndex('webhook_deliveries_by_status_next_attempt_at').execute();
  },
};
