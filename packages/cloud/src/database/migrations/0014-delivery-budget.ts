import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** Size of each delivery, and indexes to list 20,000 deliveries of a webhook without reading their payloads. */
export const deliveryBudget: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('webhook_deliveries')
      .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
    await sql`update webhook_deliveries set bytes = octet_length(payload)`.execute(db);
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`webhook_deliveries_${name}`).on('webhook_deliveries').columns(columns).execute();
    // The first pending delivery per resource.
    await index('heads', ['webhook_id', 'status', 'resource', 'seq', 'next_attempt_at']);
    // Due deliveries, and totals of pending ones.
    await index('held', ['webhook_id', 'status', 'next_attempt_at', 'bytes']);
    // List pages, and the oldest deliveries.
    await index('listed', ['webhook_id', 'created_at', 'id', 'status', 'bytes']);
    await db.schema.dropIndex('webhook_deliveries_by_webhook_id_created_at').execute();
    await db.schema.dropIndex('webhook_deliveries_by_status_next_attempt_at').execute();
  },
};
