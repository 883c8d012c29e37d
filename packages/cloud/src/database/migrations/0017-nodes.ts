import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What the nodes of a cloud share beside its data. SQLite has one node, which keeps the same in memory. */
export const nodes: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    if (engine === 'sqlite') {
      return;
    }
    const { countedKey, integer, text } = types;
    await sql`create table node_messages (
      seq ${countedKey}, node ${text} not null, body ${text} not null, created_at ${integer} not null
    )`.execute(db);
    // Not logged: after a crash of the server nothing is counted, which is better than a slow write for each request.
    await sql`create unlogged table rate_windows (
      caller ${text} primary key, taken ${integer}[] not null, is_allowed boolean not null, until ${integer} not null
    )`.execute(db);
  },
};
