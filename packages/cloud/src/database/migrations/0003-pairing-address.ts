import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Binds pairing sessions to an address: knowing the serial of a device is not enough to join its session. */
export const pairingAddress: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('pairings')
      .addColumn('address', engineOf(db).types.text, (c) => c.notNull().defaultTo(''))
      .execute();
  },
};
