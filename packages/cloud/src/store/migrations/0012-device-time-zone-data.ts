import type { Kysely, Migration } from 'kysely';

/** Which time zone data a player has; null until it tells. */
export const deviceTimeZoneData: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('devices').addColumn('tz_version', 'text').execute();
  },
};
