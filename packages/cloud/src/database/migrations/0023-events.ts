import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** The log of events, which webhooks were only told of before. */
export const events: Migration = {
  async up(db: Kysely<unknown>) {
    const { text, integer } = engineOf(db).types;
    await db.schema
      .createTable('events')
      .addColumn('seq', integer, (c) => c.primaryKey())
      .addColumn('id', text, (c) => c.notNull().unique())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('resource', text, (c) => c.notNull())
      .addColumn('end_offset', integer, (c) => c.notNull())
      .addColumn('created_at', integer, (c) => c.notNull())
      // Last: the columns before it are read without it.
      .addColumn('data', text, (c) => c.notNull())
      .execute();
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`events_${name}`).on('events').columns(columns).execute();
    await index('of_resource', ['resource', 'seq']);
    await index('by_time', ['created_at', 'seq']);
  },
};
