import type { Kysely, Migration } from 'kysely';

/** Number of video frames that a device has drawn and dropped; null until reported. */
export const deviceFrames: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('devices').addColumn('frames', 'text').execute();
  },
};
