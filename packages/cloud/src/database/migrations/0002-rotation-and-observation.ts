import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Previous webhook secrets, the order of deliveries, and when this cloud was running. */
export const rotationAndObservation: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('webhooks').addColumn('previous_secret', engineOf(db).types.text).execute();
    await db.schema.alterTable('webhooks').addColumn('previous_until', 'bigint').execute();
    await db.schema
      .alterTable('webhook_deliveries')
      .addColumn('seq', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_webhook_id_status_seq')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'status', 'seq'])
      .execute();
    await db.schema
      .createTable('observed_spans')
      .addColumn('started_at', 'bigint', (c) => c.primaryKey().notNull())
      .addColumn('ended_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
