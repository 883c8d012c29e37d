import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Number of video frames that a device has drawn and dropped; null until reported. */
export const deviceFrames: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('devices').addColumn('frames', engineOf(db).types.text).execute();
  },
};
