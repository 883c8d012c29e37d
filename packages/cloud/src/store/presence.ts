import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { deleteInSlices } from './delete-in-slices.ts';
import { inSlices } from './paging.ts';
import { turn } from './turn.ts';
import type { Row } from './schema.ts';

/** Things that plays are counted by, and the tables that hold them; of two the second one has the newer name. */
const TABLES = {
  content: ['assets'],
  playlist: ['playlists'],
  device: ['removed_devices', 'devices'],
  store: ['stores'],
} as const;
type Counted = keyof typeof TABLES;
const IDS_AT_ONCE = 5_000;
const SPANS_AT_ONCE = 5_000;

/** When devices were online, and when this service was there to see it. */
export function presenceRepository(db: Db) {
  const idsAfter = (table: (typeof TABLES)[Counted][number], after: string) =>
    db.selectFrom(table).select('id').where('id', '>', after).orderBy('id').limit(IDS_AT_ONCE).execute();

  return {
    async openSpan(deviceId: string, atMs: number): Promise<void> {
      await db
        .insertInto('online_spans')
        .values({ device_id: deviceId, started_at: atMs, ended_at: null })
        .execute();
    },
    async closeSpan(deviceId: string, atMs: number): Promise<void> {
      await db
        .updateTable('online_spans')
        .set({ ended_at: atMs })
        .where('device_id', '=', deviceId)
        .where('ended_at', 'is', null)
        .execute();
    },
    /**
     * Online spans that touch the range, a slice at a time: first those that have no end yet, then the others in order
     * of their ends. A span that ends meanwhile may come a second time. Stops when the signal aborts.
     */
    async *spans(fromMs: number, toMs: number, signal: AbortSignal): AsyncGenerator<Row<'online_spans'>[]> {
      let last: { ended_at: number | null; place: number } = { ended_at: null, place: 0 };
      for (;;) {
        await turn();
        if (signal.aborted) return;
        const after =
          last.ended_at === null
            ? sql`ended_at is null and rowid > ${last.place}`
            : sql`(ended_at, rowid) > (${last.ended_at}, ${last.place})`;
        const { rows } = await sql<Row<'online_spans'> & { place: number }>`
          select rowid as place, device_id, started_at, ended_at from online_spans where ${after}
          order by ended_at, rowid limit ${SPANS_AT_ONCE}`.execute(db);
        const newest = rows.at(-1);
        yield rows.filter((row) => row.started_at < toMs);
        if (newest && rows.length === SPANS_AT_ONCE) last = newest;
        else if (last.ended_at === null) last = { ended_at: fromMs, place: Number.MAX_SAFE_INTEGER };
        else return;
      }
    },
    /** Forgets when devices were online, and this service there to see it, of what was over before the instant. */
    async deleteBefore(beforeMs: number): Promise<void> {
      for (const table of ['online_spans', 'observed_spans'] as const)
        await deleteInSlices(db, table, sql<SqlBool>`ended_at < ${beforeMs}`);
    },
    /** The devices that exist, a slice at a time. */
    async *devices(): AsyncGenerator<Pick<Row<'devices'>, 'id' | 'name' | 'status' | 'created_at'>[]> {
      for (let after = ''; ;) {
        await turn();
        const rows = await db
          .selectFrom('devices')
          .select(['id', 'name', 'status', 'created_at'])
          .where('id', '>', after)
          .orderBy('id')
          .limit(IDS_AT_ONCE)
          .execute();
        const last = rows.at(-1);
        if (!last) return;
        yield rows;
        after = last.id;
      }
    },
    async observed(fromMs: number, toMs: number) {
      return db
        .selectFrom('observed_spans')
        .selectAll()
        .where('started_at', '<', toMs)
        .where('ended_at', '>', fromMs)
        .orderBy('started_at')
        .execute();
    },
    /** Notes that this service has been running since the one instant until the other. */
    async observe(startedMs: number, untilMs: number): Promise<void> {
      await db
        .insertInto('observed_spans')
        .values({ started_at: startedMs, ended_at: untilMs })
        .onConflict((conflict) => conflict.column('started_at').doUpdateSet({ ended_at: untilMs }))
        .execute();
    },
    /** Ids of all things of a kind, also of devices that were removed; others have their turn while they are read. */
    async ids(kind: Counted): Promise<Set<string>> {
      const ids = new Set<string>();
      for (const table of TABLES[kind])
        for (let rows = await idsAfter(table, ''); rows.length > 0;) {
          for (const { id } of rows) ids.add(id);
          await setImmediate();
          rows = await idsAfter(table, rows.at(-1)?.id ?? '');
        }
      return ids;
    },
    /** Names of these things by id, also of devices that were removed. */
    async names(kind: Counted, ids: readonly string[]): Promise<Map<string, string>> {
      const names = new Map<string, string>();
      for (const table of TABLES[kind]) {
        const rows = await inSlices(ids, (slice) =>
          db.selectFrom(table).select(['id', 'name']).where('id', 'in', slice).execute(),
        );
        for (const { id, name } of rows) names.set(id, name);
      }
      return names;
    },
  };
}
