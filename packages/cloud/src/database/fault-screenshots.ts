import type { SentFile } from '../domain/sent-files.ts';
import type { Db } from './db.ts';
import { deviceUploadRows } from './device-uploads.ts';
import type { NewRow, Row } from './schema.ts';

/** Different faults of a device whose pictures are kept. */
const MAX_KEPT = 5;

/** What devices showed when their last faults began. */
export function faultScreenshotRepository(db: Db) {
  const newestOf = (deviceId: string) =>
    db
      .selectFrom('fault_screenshots')
      .where('device_id', '=', deviceId)
      .orderBy('received_at', 'desc')
      .orderBy('fault_code')
      .limit(MAX_KEPT);
  return {
    ...deviceUploadRows(db, 'fault_screenshots'),
    /** Newest first. */
    list: (deviceId: string): Promise<Row<'fault_screenshots'>[]> => newestOf(deviceId).selectAll().execute(),
    /** In place of the one of the same fault, and of the oldest beyond those that are kept, which are returned. */
    async save({ device_id, fault_code, ...columns }: NewRow<'fault_screenshots'>): Promise<SentFile[]> {
      const ofSameFault = await db
        .selectFrom('fault_screenshots')
        .select(['sha256', 'size'])
        .where('device_id', '=', device_id)
        .where('fault_code', '=', fault_code)
        .execute();
      await db
        .insertInto('fault_screenshots')
        .values({ device_id, fault_code, ...columns })
        .onConflict((conflict) => conflict.columns(['device_id', 'fault_code']).doUpdateSet(columns))
        .execute();
      const oldest = await db
        .deleteFrom('fault_screenshots')
        .where('device_id', '=', device_id)
        .where('fault_code', 'not in', newestOf(device_id).select('fault_code'))
        .returning(['sha256', 'size'])
        .execute();
      return [...ofSameFault, ...oldest];
    },
  };
}
