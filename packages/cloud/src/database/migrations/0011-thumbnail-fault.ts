import type { Kysely, Migration } from 'kysely';

/** Why a video has no thumbnail, so that it is attempted once only. */
export const thumbnailFault: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('assets').addColumn('thumbnail_fault', 'text').execute();
    // Finds videos without thumbnail without scanning all assets.
    await db.schema
      .createIndex('assets_without_thumbnail')
      .on('assets')
      .columns(['type', 'thumbnail', 'thumbnail_fault'])
      .execute();
  },
};
