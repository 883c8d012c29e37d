import { sql } from 'kysely';
import type { Db } from './db.ts';

/** Requests of a caller that count in a window. */
export interface CountedRequests {
  /** Whether the last request was allowed. */
  isAllowed: boolean;
  count: number;
  oldestMs: number | null;
}

/** Exact sliding windows on PostgreSQL: one statement a request, which locks the row of its caller. */
export function rateWindowRepository(db: Db) {
  return {
    /** Counts a request, unless as many as the limit count already. */
    async take(caller: string, limit: number, windowMs: number, nowMs: number): Promise<CountedRequests> {
      const counted = sql`from unnest(rate_windows.taken) as at where at > ${nowMs - windowMs}::bigint`;
      const { rows } = await sql<CountedRequests>`
        insert into rate_windows (caller, taken, is_allowed, until)
        values (${caller}, array[${nowMs}::bigint], true, ${nowMs + windowMs})
        on conflict (caller) do update set
          taken = (select case when count(*) < ${limit} then array_append(array_agg(at order by at), ${nowMs}::bigint)
            else array_agg(at order by at) end ${counted}),
          is_allowed = (select count(*) < ${limit} ${counted}),
          until = greatest(rate_windows.until, excluded.until)
        returning is_allowed as "isAllowed", cardinality(taken) as count, taken[1] as "oldestMs"`.execute(db);
      return rows[0]!;
    },
    /** The same without counting: `isAllowed` says whether a request would be. */
    async peek(caller: string, limit: number, windowMs: number, nowMs: number): Promise<CountedRequests> {
      const { rows } = await sql<CountedRequests>`
        select count(at) < ${limit} as "isAllowed", count(at)::integer as count, min(at) as "oldestMs"
        from rate_windows, unnest(taken) as at
        where caller = ${caller} and at > ${nowMs - windowMs}::bigint`.execute(db);
      return rows[0]!;
    },
    /** Deletes callers of whom nothing is counted any more. */
    async deleteEnded(nowMs: number): Promise<void> {
      await db.deleteFrom('rate_windows').where('until', '<', nowMs).execute();
    },
  };
}
