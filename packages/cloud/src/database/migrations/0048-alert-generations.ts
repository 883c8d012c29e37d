import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Which matches are those of a rule for alerts as it is now. */
export const alertGenerations: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer } = engineOf(db).types;
    await sql`alter table alert_rules add column generation ${integer} not null default 0`.execute(db);
  },
};
