import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** The offline devices of which webhooks were not told yet; before, all offline ones were looked at every five seconds. */
export const notNotifiedDevices: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index devices_not_notified on devices (status, told_status)
      where status = 'offline' and told_status = 'online'`.execute(db);
  },
};
