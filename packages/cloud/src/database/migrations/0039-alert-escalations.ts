import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Who else is told of alerts that stay open, and how many of these steps an alert has taken. */
export const alertEscalations: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`alter table alert_rules add column escalations ${text} not null default '[]'`.execute(db);
    await sql`alter table alerts add column escalated ${integer} not null default 0`.execute(db);
  },
};
