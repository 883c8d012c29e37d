import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** Index for the unfinished commands of a device by expiry; deletes deployments without targets. */
export const commandsAndDeployments: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.dropIndex('commands_by_device_id_status').execute();
    await db.schema
      .createIndex('commands_by_device_id_status_expires_at')
      .on('commands')
      .columns(['device_id', 'status', 'expires_at'])
      .execute();
    await sql`delete from deployments where not exists
      (select 1 from deployment_targets where deployment_id = deployments.id)`.execute(db);
  },
};
