import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Why a video has no thumbnail, so that it is attempted once only. */
export const thumbnailFault: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('assets').addColumn('thumbnail_fault', engineOf(db).types.text).execute();
    // Finds videos without thumbnail without scanning all assets.
    await db.schema
      .createIndex('assets_without_thumbnail')
      .on('assets')
      .columns(['type', 'thumbnail', 'thumbnail_fault'])
      .execute();
  },
};
