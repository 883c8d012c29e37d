import type { Kysely, Migration } from 'kysely';

/** Index for a page of the devices with a status in the order of lists: without it, all of them were sorted for each page. */
export const devicesByStatus: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.dropIndex('devices_by_status').execute();
    await db.schema
      .createIndex('devices_by_status_created_at_id')
      .on('devices')
      .columns(['status', 'created_at', 'id'])
      .execute();
  },
};
