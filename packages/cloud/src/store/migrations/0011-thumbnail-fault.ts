import type { Kysely, Migration } from 'kysely';

/** Why a video has no small picture, so that it is not tried for ever. */
export const thumbnailFault: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('assets').addColumn('thumbnail_fault', 'text').execute();
    // What waits for its small picture is found without reading all assets.
    await db.schema
      .createIndex('assets_without_thumbnail')
      .on('assets')
      .columns(['type', 'thumbnail', 'thumbnail_fault'])
      .execute();
  },
};
