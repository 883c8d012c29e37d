import type { Db } from './db.ts';
import { deviceUploadRows } from './device-uploads.ts';
import type { NewRow, Row } from './schema.ts';

/** The newest logs of each device. */
export function deviceLogsRepository(db: Db) {
  return {
    ...deviceUploadRows(db, 'device_logs'),
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
  };
}
