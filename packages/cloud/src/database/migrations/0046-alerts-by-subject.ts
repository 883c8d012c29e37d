import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** People who are bound to stores see the alerts about these, and about devices in them, among all that are kept. */
export const alertsBySubject: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index alerts_by_subject on alerts (ref, status, created_at, id)`.execute(db);
  },
};
