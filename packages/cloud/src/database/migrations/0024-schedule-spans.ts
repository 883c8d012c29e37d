import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Windows over several days, days without a window, and rules in the time zone of the store. */
export const scheduleSpans: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    for (const name of ['end_day_offset', 'local_time']) {
      await db.schema
        .alterTable('schedule_rules')
        .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
        .execute();
    }
    await db.schema.alterTable('schedule_rules').addColumn('except_dates', text).execute();
  },
};
