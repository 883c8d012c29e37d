import type { Kysely, Migration } from 'kysely';

/** How many video frames a screen has drawn and dropped; null until it tells. */
export const deviceFrames: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('devices').addColumn('frames', 'text').execute();
  },
};
