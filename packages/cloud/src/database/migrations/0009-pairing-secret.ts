import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/**
 * Binds pairing sessions to a secret. Poll rate limits are kept in memory, so that unauthenticated polls write
 * nothing.
 */
export const pairingSecret: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('pairings').addColumn('secret_hash', engineOf(db).types.text).execute();
    await db.schema.alterTable('pairings').dropColumn('paced_until').execute();
    await db.schema.createIndex('pairings_expires_at').on('pairings').column('expires_at').execute();
    // Counts waiting sessions per address without reading their rows.
    await db.schema
      .createIndex('pairings_waiting')
      .on('pairings')
      .columns(['device_id', 'address', 'created_at'])
      .execute();
  },
};
