import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What a device has answered to those who look at it, for other nodes. SQLite has one node, which keeps it in memory. */
export const liveAnswers: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    if (engine === 'sqlite') {
      return;
    }
    const { integer, text } = types;
    // Not logged: it is of use for seconds, and must reach neither backups nor replicas.
    await sql`create unlogged table live_answers (
      device_id ${text} not null, wanted ${text} not null, answer ${text} not null, at ${integer} not null,
      primary key (device_id, wanted)
    )`.execute(db);
  },
};
