import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What became of the devices of a rollout that has ended is counted once: there may be as many as the fleet has. */
export const rolloutCounts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table rollouts add column counts ${engineOf(db).types.text}`.execute(db);
  },
};
