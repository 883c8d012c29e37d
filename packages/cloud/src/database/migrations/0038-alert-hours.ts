import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Opening hours of rules for alerts, and mutes. */
export const alertHours: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`alter table alert_rules add column opening_hours ${text}`.execute(db);
    await sql`create table alert_mutes (id ${text} primary key, kind ${text} not null, ref ${text} not null,
      until ${integer} not null, reason ${text}, created_at ${integer} not null)`.execute(db);
    await sql`create index alert_mutes_by_until on alert_mutes (until)`.execute(db);
  },
};
