import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { SeenDevice } from './connecting-devices.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { findNames } from './paging.ts';
import { nextEventLoopTurn } from '../event-loop/next-turn.ts';
import type { Row } from './schema.ts';
import { OFFLINE_AFTER_MS } from '../domain/presence.ts';
import { isInFuture, mayBeSilentSince, moveInIndex, setLastSeen, setSeenNow } from './silent-devices.ts';

/** Resources that plays are grouped by, and their tables; with two tables the second has the newer name. */
const NAME_TABLES = {
  content: ['assets'],
  playlist: ['playlists'],
  device: ['removed_devices', 'devices'],
  store: ['stores'],
} as const;
type NamedResource = keyof typeof NAME_TABLES;
const IDS_PER_QUERY = 5_000;
const SPANS_PER_QUERY = 5_000;

/** When devices were online, and when this cloud was running to observe it. */
export function presenceRepository(db: Db) {
  const idsAfter = (table: (typeof NAME_TABLES)[NamedResource][number], after: string) =>
    db.selectFrom(table).select('id').where('id', '>', after).orderBy('id').limit(IDS_PER_QUERY).execute();

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
     * Looks at no more than `limit` of the online devices from which perhaps nothing was received since the timestamp,
     * `OFFLINE_AFTER_MS` ago, and marks those offline that are silent. Each counts as online until its last message. Those heard
     * before the clock was set back count as heard now. Returns at how many it has looked; run in a transaction.
     */
    async endSilent(silentSinceMs: number, limit: number): Promise<number> {
      const engine = engineOf(db);
      const { rows } = await sql<{ id: string; device: number; last_seen: number | null }>`
        select id, device, last_seen from device_live join devices on devices.number = device_live.device
        where ${mayBeSilentSince(db, silentSinceMs)} limit ${limit} ${engine.keepRows('device_live')}`.execute(
        db,
      );
      const nowMs = silentSinceMs + OFFLINE_AFTER_MS;
      const isSilent = ({ last_seen }: { last_seen: number | null }) =>
        last_seen !== null && last_seen <= silentSinceMs;
      const isAhead = ({ last_seen }: { last_seen: number | null }) => isInFuture(last_seen, silentSinceMs);
      const silent = rows.filter(isSilent);
      const ahead = rows.filter(isAhead);
      const heard = rows.filter((row) => !isSilent(row) && !isAhead(row));
      await setSeenNow(
        db,
        ahead.map(({ device }) => device),
        nowMs,
      );
      await moveInIndex(
        db,
        heard.map(({ device }) => device),
        nowMs,
      );
      if (silent.length === 0) {
        return rows.length;
      }
      const ids = sql`(select id from ${engine.given([{ name: 'id', type: 'text', values: silent.map(({ id }) => id) }])})`;
      const numbers = sql`(select number from ${engine.given([
        { name: 'number', type: 'bigint', values: silent.map(({ device }) => device) },
      ])})`;
      // The plus keeps SQLite from reading all open spans.
      await sql`update online_spans set ended_at = (select last_seen from devices
          join device_live on device_live.device = devices.number where devices.id = online_spans.device_id)
        where device_id in ${ids} and +ended_at is null`.execute(db);
      await sql`update devices set status = 'offline' where number in ${numbers}`.execute(db);
      await sql`update device_live set online = 0 where device in ${numbers}`.execute(db);
      return rows.length;
    },
    /**
     * Marks devices as online that are offline while `told_status` is still online, as all are after some minutes without the
     * cloud; each counts as online from when it was seen. Returns the numbers of those marked; run in a transaction.
     */
    async markReturned(seen: readonly SeenDevice[]): Promise<ReadonlySet<number>> {
      const engine = engineOf(db);
      const latest = [...new Map(seen.map((each) => [each.number, each])).values()];
      // Conditions on the status are not in the query: SQLite would read all devices that are offline.
      const { rows } = await sql<
        { id: string; seen_ms: number } & Pick<Row<'devices'>, 'number' | 'status' | 'told_status'>
      >`
        select id, devices.number, status, told_status, seen_ms from ${engine.given([
          { name: 'number', type: 'bigint', values: latest.map(({ number }) => number) },
          { name: 'seen_ms', type: 'bigint', values: latest.map(({ seenMs }) => seenMs) },
        ])}
        join devices on devices.number = given.number join device_live on device_live.device = devices.number
        ${engine.keepRows('device_live')}`.execute(db);
      const returned = rows.filter((row) => row.status === 'offline' && row.told_status === 'online');
      if (returned.length > 0) {
        const given = engine.given([
          { name: 'id', type: 'text', values: returned.map(({ id }) => id) },
          { name: 'number', type: 'bigint', values: returned.map(({ number }) => number) },
          { name: 'seen_ms', type: 'bigint', values: returned.map((row) => row.seen_ms) },
        ]);
        await sql`insert into online_spans (device_id, started_at) select id, seen_ms from ${given}`.execute(
          db,
        );
        await sql`update devices set status = 'online' where number in (select number from ${given})`.execute(
          db,
        );
        await sql`update device_live set online = 1, ${setLastSeen(db, sql`given.seen_ms`)} from ${given}
          where device = given.number`.execute(db);
      }
      return new Set(returned.map(({ number }) => number));
    },
    /**
     * Online spans that overlap the range, in batches: first open ones, then the others in order of their ends. A
     * span that ends meanwhile may appear twice. Stops when the signal is aborted.
     */
    async *spans(fromMs: number, toMs: number, signal: AbortSignal): AsyncGenerator<Row<'online_spans'>[]> {
      let last: { ended_at: number | null; place: number } = { ended_at: null, place: 0 };
      for (;;) {
        await nextEventLoopTurn();
        if (signal.aborted) {
          return;
        }
        const after =
          last.ended_at === null
            ? sql`ended_at is null and rowid > ${last.place}`
            : sql`(ended_at, rowid) > (${last.ended_at}, ${last.place})`;
        const { rows } = await sql<Row<'online_spans'> & { place: number }>`
          select rowid as place, device_id, started_at, ended_at from online_spans where ${after}
          order by ended_at, rowid limit ${SPANS_PER_QUERY}`.execute(db);
        const newest = rows.at(-1);
        yield rows.filter((row) => row.started_at < toMs);
        if (newest && rows.length === SPANS_PER_QUERY) {
          last = newest;
        } else if (last.ended_at === null) {
          last = { ended_at: fromMs, place: Number.MAX_SAFE_INTEGER };
        } else {
          return;
        }
      }
    },
    /** Deletes online and observed spans that ended before the timestamp. */
    async deleteBefore(beforeMs: number): Promise<void> {
      for (const table of ['online_spans', 'observed_spans'] as const) {
        await deleteInBatches(db, table, sql<SqlBool>`ended_at < ${beforeMs}`);
      }
    },
    async *devices(): AsyncGenerator<Pick<Row<'devices'>, 'id' | 'name' | 'status' | 'created_at'>[]> {
      for (let after = ''; ;) {
        await nextEventLoopTurn();
        const rows = await db
          .selectFrom('devices')
          .select(['id', 'name', 'status', 'created_at'])
          .where('id', '>', after)
          .orderBy('id')
          .limit(IDS_PER_QUERY)
          .execute();
        const last = rows.at(-1);
        if (!last) {
          return;
        }
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
    /** When this cloud was running, the newest first. */
    newestObserved: (limit: number): Promise<Row<'observed_spans'>[]> =>
      db.selectFrom('observed_spans').selectAll().orderBy('started_at', 'desc').limit(limit).execute(),
    /** Records that this cloud was running from `startedMs` until `untilMs`. */
    async recordObserved(startedMs: number, untilMs: number): Promise<void> {
      await db
        .insertInto('observed_spans')
        .values({ started_at: startedMs, ended_at: untilMs })
        .onConflict((conflict) => conflict.column('started_at').doUpdateSet({ ended_at: untilMs }))
        .execute();
    },
    /** Ids of all resources of a kind, including removed devices; yields to the event loop between batches. */
    async ids(kind: NamedResource): Promise<Set<string>> {
      const ids = new Set<string>();
      for (const table of NAME_TABLES[kind]) {
        for (let rows = await idsAfter(table, ''); rows.length > 0;) {
          for (const { id } of rows) {
            ids.add(id);
          }
          await setImmediate();
          rows = await idsAfter(table, rows.at(-1)?.id ?? '');
        }
      }
      return ids;
    },
    /** Names by id, including removed devices. */
    async names(kind: NamedResource, ids: readonly string[]): Promise<Map<string, string>> {
      const names = new Map<string, string>();
      for (const table of NAME_TABLES[kind]) {
        for (const [id, name] of await findNames(db, table, ids)) {
          names.set(id, name);
        }
      }
      return names;
    },
  };
}
