import type { Kysely, Migration } from 'kysely';

/** Whoever knows a serial from elsewhere does not get into the session of the screen that has it. */
export const pairingAddress: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('pairings')
      .addColumn('address', 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  },
};
