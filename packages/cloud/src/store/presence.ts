import type { Db } from './database.ts';

/** When devices were online, and when this service was there to see it. */
export function presenceRepository(db: Db) {
  const named = async (table: 'assets' | 'playlists' | 'devices' | 'stores' | 'removed_devices') =>
    db.selectFrom(table).select(['id', 'name']).execute();

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
    /** Names of things by id, also of devices that were removed. */
    async names(kind: 'content' | 'playlist' | 'device' | 'store'): Promise<Map<string, string>> {
      const rows =
        kind === 'device'
          ? [...(await named('removed_devices')), ...(await named('devices'))]
          : await named(kind === 'content' ? 'assets' : kind === 'playlist' ? 'playlists' : 'stores');
      return new Map(rows.map((row) => [row.id, row.name]));
    },
  };
}
