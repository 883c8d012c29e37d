import type { Kysely, Migration } from 'kysely';

/** A screen's polls are counted by the time that they take up, not by the instant of the last one alone. */
export const pairingPace: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('pairings').renameColumn('last_poll_at', 'paced_until').execute();
  },
};
