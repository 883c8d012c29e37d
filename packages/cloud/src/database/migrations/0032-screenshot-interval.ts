import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** How often screens send a picture of their own accord, and why a picture was sent. */
export const screenshotInterval: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    for (const table of ['organization', 'devices']) {
      await db.schema.alterTable(table).addColumn('screenshot_interval_minutes', integer).execute();
    }
    await db.schema
      .alterTable('screenshots')
      .addColumn('reason', text, (column) => column.notNull().defaultTo('requested'))
      .execute();
  },
};
