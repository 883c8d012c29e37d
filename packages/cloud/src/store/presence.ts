import { setImmediate } from 'node:timers/promises';
import type { Db } from './database.ts';
import { inSlices } from './paging.ts';

/** Things that plays are counted by, and the tables that hold them; of two the second one has the newer name. */
const TABLES = {
  content: ['assets'],
  playlist: ['playlists'],
  device: ['removed_devices', 'devices'],
  store: ['stores'],
} as const;
type Counted = keyof typeof TABLES;
const IDS_AT_ONCE = 5_000;

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
    /** Online spans that touch the range, of the devices that exist. */
    async spans(fromMs: number, toMs: number) {
      return db
        .selectFrom('online_spans')
        .innerJoin('devices', 'devices.id', 'online_spans.device_id')
        .selectAll('online_spans')
        .where('started_at', '<', toMs)
        .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', fromMs)]))
        .execute();
    },
    async devices() {
      return db.selectFrom('devices').select(['id', 'name', 'status', 'created_at']).execute();
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
