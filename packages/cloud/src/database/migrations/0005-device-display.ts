import type { Kysely, Migration, RawBuilder } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Display settings of each device, and the PIN hash of its technician menu. */
export const deviceDisplay: Migration = {
  async up(db: Kysely<unknown>) {
    const { text, integer } = engineOf(db).types;
    const add = (name: string, type: RawBuilder<unknown>, start: string | number) =>
      db.schema
        .alterTable('devices')
        .addColumn(name, type, (c) => c.notNull().defaultTo(start))
        .execute();
    // SQLite adds one column at a time.
    await add('fit', text, 'contain');
    await add('ground', text, 'black');
    await add('fade_ms', integer, 0);
    await add('language', text, 'en');
    await db.schema.alterTable('devices').addColumn('menu_pin_hash', text).execute();
  },
};
