import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** What webhooks were last told of a device: after a restart it can be offline without anybody having missed it yet. */
export const toldStatus: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('devices')
      .addColumn('told_status', 'text', (c) => c.notNull().defaultTo('offline'))
      .execute();
    await sql`update devices set told_status = status`.execute(db);
  },
};
