import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** The last characters of generated keys, by which their owners recognize them in lists; unknown of older keys. */
export const keyEndings: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('api_keys').addColumn('last_four', engineOf(db).types.text).execute();
  },
};
