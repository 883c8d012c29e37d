import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Version of a player's time zone data; null until reported. */
export const deviceTimeZoneData: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('devices').addColumn('tz_version', engineOf(db).types.text).execute();
  },
};
