import type { Kysely, Migration } from 'kysely';

/** Polls are rate-limited by reserved intervals instead of the time of the last poll. */
export const pairingPace: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('pairings').renameColumn('last_poll_at', 'paced_until').execute();
  },
};
