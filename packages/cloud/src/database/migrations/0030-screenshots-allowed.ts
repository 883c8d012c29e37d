import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Whether pictures of screens may be taken from afar, for all and for each. */
export const screenshotsAllowed: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer } = engineOf(db).types;
    for (const table of ['organization', 'devices']) {
      await db.schema
        .alterTable(table)
        .addColumn('screenshots_allowed', integer, (column) => column.notNull().defaultTo(1))
        .execute();
    }
  },
};
