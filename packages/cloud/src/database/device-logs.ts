import type { Db } from './db.ts';
import type { NewRow, Row } from './schema.ts';

/** The newest logs of each device. */
export function deviceLogsRepository(db: Db) {
  return {
    find: (deviceId: string): Promise<Row<'device_logs'> | undefined> =>
      db.selectFrom('device_logs').selectAll().where('device_id', '=', deviceId).executeTakeFirst(),
    /** In place of the ones before. */
    async save({ device_id, ...columns }: NewRow<'device_logs'>): Promise<void> {
      await db
        .insertInto('device_logs')
        .values({ device_id, ...columns })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet(columns))
        .execute();
    },
    async deleteBefore(receivedMs: number): Promise<void> {
      await db.deleteFrom('device_logs').where('received_at', '<', receivedMs).execute();
    },
    async isBlobUsed(sha256: string): Promise<boolean> {
      const row = await db
        .selectFrom('device_logs')
        .select('device_id')
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
