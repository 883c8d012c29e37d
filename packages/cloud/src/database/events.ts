import { sql } from 'kysely';
import type { EventType } from '@placard/protocol/api';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { slicesOf } from './paging.ts';
import type { Row } from './schema.ts';

/** An event to be recorded. */
export interface NewEvent {
  id: string;
  type: EventType;
  /** Id of the resource concerned. */
  resource: string;
  /** JSON. */
  data: string;
  created_at: number;
}

/** What is read of an event to decide whether it is wanted. */
export type EventHead = Pick<Row<'events'>, 'seq' | 'id' | 'type' | 'resource' | 'end_offset'>;

export interface EventLogLimits {
  /** An event is deleted once the data of those after it has this length. */
  maxBytes: number;
}

const DEFAULT_LIMITS: EventLogLimits = { maxBytes: 2 ** 30 };
const ROWS_PER_INSERT = 500;
const DELETED_AT_ONCE = 500;

/**
 * The log of events: numbered without gaps in the order of their commits, so that whoever has read up to a number misses
 * none. The newest is never deleted, so that numbers are not used twice.
 */
export function eventRepository(db: Db, limits = DEFAULT_LIMITS) {
  const engine = engineOf(db);
  const end = async (order: 'asc' | 'desc') =>
    db
      .selectFrom('events')
      .select(['seq', 'id', 'end_offset'])
      .orderBy('seq', order)
      .limit(1)
      .executeTakeFirst();

  return {
    /** Appends events. Nothing but the commit may follow in the transaction: others that append wait for it. */
    async append(events: readonly NewEvent[]): Promise<void> {
      if (events.length === 0) {
        return;
      }
      await engine.lockEvents(db);
      for (const slice of slicesOf(events, ROWS_PER_INSERT)) {
        let bytes = 0;
        const offsets = slice.map(({ data }) => (bytes += Buffer.byteLength(data)));
        const column = (name: keyof NewEvent, type: 'text' | 'bigint') => ({
          name,
          type,
          values: slice.map((event) => event[name]),
        });
        await sql`insert into events (seq, id, type, resource, end_offset, created_at, data)
          select coalesce((select max(seq) from events), 0) + number, id, type, resource,
            coalesce((select end_offset from events order by seq desc limit 1), 0) + offset_in_batch, created_at, data
          from ${engine.given([
            { name: 'number', type: 'bigint', values: slice.map((_, index) => index + 1) },
            column('id', 'text'),
            column('type', 'text'),
            column('resource', 'text'),
            { name: 'offset_in_batch', type: 'bigint', values: offsets },
            column('created_at', 'bigint'),
            column('data', 'text'),
          ])} order by number`.execute(db);
      }
    },
    oldest: () => end('asc'),
    newest: () => end('desc'),
    /** The number of the event with this id; undefined when there is no such event, or no longer. */
    async findSeq(id: string): Promise<number | undefined> {
      const { rows } = await sql<{ seq: number }>`select seq from events where id = ${id}`.execute(db);
      return rows[0]?.seq;
    },
    /** The number of the first event at that time or after it. */
    async firstSince(ms: number): Promise<number | undefined> {
      const { rows } = await sql<{ seq: number }>`select seq from events where created_at >= ${ms}
        order by created_at, seq limit 1`.execute(db);
      return rows[0]?.seq;
    },
    /** What the next events after that number are about, at most `limit`, in their order. */
    async headsAfter(seq: number, limit: number, resource?: string): Promise<EventHead[]> {
      const about = resource === undefined ? sql`` : sql`and resource = ${resource}`;
      const { rows } = await sql<EventHead>`select seq, id, type, resource, end_offset from events
        where seq > ${seq} ${about} order by seq limit ${limit}`.execute(db);
      return rows;
    },
    /** These events, in their order. */
    async read(seqs: readonly number[]): Promise<Row<'events'>[]> {
      if (seqs.length === 0) {
        return [];
      }
      return db.selectFrom('events').selectAll().where('seq', 'in', seqs).orderBy('seq').execute();
    },
    /**
     * Deletes some of the events that were recorded before the time, or that are over the limit. Call it until it returns
     * false.
     */
    async deleteBatch(beforeMs: number): Promise<boolean> {
      const newest = await end('desc');
      if (!newest) {
        return false;
      }
      const { numAffectedRows } = await sql`delete from events where seq < ${newest.seq} and seq in (
        select seq from (select seq, created_at, end_offset from events order by seq limit ${DELETED_AT_ONCE}) as oldest
        where created_at < ${beforeMs} or end_offset <= ${newest.end_offset - limits.maxBytes})`.execute(db);
      return (numAffectedRows ?? 0n) > 0n;
    },
  };
}
