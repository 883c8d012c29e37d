import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/**
 * The status of which webhooks were last notified: after a restart a device can be offline without a notification
 * yet.
 */
export const toldStatus: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('devices')
      .addColumn('told_status', engineOf(db).types.text, (c) => c.notNull().defaultTo('offline'))
      .execute();
    await sql`update devices set told_status = status`.execute(db);
  },
};
