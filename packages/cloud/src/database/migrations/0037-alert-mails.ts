import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** To whom alerts are mailed, and each mail on its way. */
export const alertMails: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`alter table alert_rules add column recipients ${text} not null default '[]'`.execute(db);
    await sql`alter table alert_rules add column language ${text} not null default 'en'`.execute(db);
    await sql`create table alert_mails (alert_id ${text} not null, step ${text} not null, recipient ${text} not null,
      language ${text} not null, status ${text} not null, attempts ${integer} not null, next_attempt_at ${integer},
      error ${text}, created_at ${integer} not null, finished_at ${integer}, primary key (alert_id, recipient, step))`.execute(
      db,
    );
    await sql`create index alert_mails_due on alert_mails (next_attempt_at) where status = 'pending'`.execute(
      db,
    );
  },
};
