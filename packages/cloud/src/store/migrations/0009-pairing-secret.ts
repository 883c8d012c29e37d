import type { Kysely, Migration } from 'kysely';

/**
 * A session belongs to the screen that knows its secret. How fast a screen polls is kept in memory: a stranger's
 * poll is no write.
 */
export const pairingSecret: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('pairings').addColumn('secret_hash', 'text').execute();
    await db.schema.alterTable('pairings').dropColumn('paced_until').execute();
    await db.schema.createIndex('pairings_expires_at').on('pairings').column('expires_at').execute();
    // Tells who has how many waiting sessions without reading what each of them told.
    await db.schema
      .createIndex('pairings_waiting')
      .on('pairings')
      .columns(['device_id', 'address', 'created_at'])
      .execute();
  },
};
