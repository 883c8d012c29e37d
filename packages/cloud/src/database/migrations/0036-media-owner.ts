import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What the database and its media store both have, so that no other database deletes files there. */
export const mediaOwner: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await db.schema.alterTable('organization').addColumn('media_id', text).execute();
    await db.schema
      .alterTable('organization')
      .addColumn('media_turn', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
