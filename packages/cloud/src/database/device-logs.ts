import type { SentFile } from '../domain/sent-files.ts';
import type { Db } from './db.ts';
import { deviceUploadRows } from './device-uploads.ts';
import type { NewRow, Row } from './schema.ts';

/** The newest logs of each device. */
export function deviceLogsRepository(db: Db) {
  const find = (deviceId: string): Promise<Row<'device_logs'> | undefined> =>
    db.selectFrom('device_logs').selectAll().where('device_id', '=', deviceId).executeTakeFirst();
  return {
    ...deviceUploadRows(db, 'device_logs'),
    find,
    /** In place of the ones before, which are returned. */
    async save({ device_id, ...columns }: NewRow<'device_logs'>): Promise<SentFile[]> {
      const before = await find(device_id);
      await db
        .insertInto('device_logs')
        .values({ device_id, ...columns })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet(columns))
        .execute();
      return before ? [before] : [];
    },
  };
}
