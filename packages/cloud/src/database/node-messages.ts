import { sql } from 'kysely';
import type { Db } from './db.ts';

/** PostgreSQL tells the nodes on this channel that there are messages. */
export const NODE_CHANNEL = 'placard_nodes';
const MESSAGES_AT_ONCE = 1_000;

/** What a node has told the others in a transaction. */
export interface NodeMessage {
  /** Messages are numbered in the order of their commits. */
  seq: number;
  /** The node that left it. */
  node: string;
  body: string;
}

/** Messages between the nodes of a cloud on PostgreSQL, kept until all have read them. */
export function nodeMessageRepository(db: Db) {
  return {
    /**
     * Leaves a message, which others read after the commit. The transaction must hold the lock of writers, so that no
     * message becomes visible after one with a higher number.
     */
    async add(node: string, body: string, nowMs: number): Promise<void> {
      await db.insertInto('node_messages').values({ node, body, created_at: nowMs }).execute();
      await sql`select pg_notify(${NODE_CHANNEL}, '')`.execute(db);
    },
    /** The number of the newest message; 0 before the first. */
    async lastSeq(): Promise<number> {
      const row = await db
        .selectFrom('node_messages')
        .select('seq')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.seq ?? 0;
    },
    /** The next messages after the one with this number; null when that is no longer known, as it was deleted. */
    async readAfter(seq: number): Promise<NodeMessage[] | null> {
      const rows = await db
        .selectFrom('node_messages')
        .select(['seq', 'node', 'body'])
        .where('seq', '>=', seq)
        .orderBy('seq')
        .limit(MESSAGES_AT_ONCE)
        .execute();
      if (seq === 0) {
        return rows;
      }
      return rows[0]?.seq === seq ? rows.slice(1) : null;
    },
    /** Deletes old messages, but never the newest. */
    async deleteBefore(beforeMs: number): Promise<void> {
      await db
        .deleteFrom('node_messages')
        .where('created_at', '<', beforeMs)
        .where('seq', '<', (eb) => eb.selectFrom('node_messages').select((e) => e.fn.max('seq').as('last')))
        .execute();
    },
  };
}
