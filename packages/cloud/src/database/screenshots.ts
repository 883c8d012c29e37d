import type { PictureSeries } from '../domain/picture-series.ts';
import type { SentFile } from '../domain/sent-files.ts';
import type { Db } from './db.ts';
import { deviceUploadRows } from './device-uploads.ts';
import type { NewRow, Row } from './schema.ts';

/** The newest picture of what each device shows. */
export function screenshotRepository(db: Db) {
  const find = (deviceId: string): Promise<Row<'screenshots'> | undefined> =>
    db.selectFrom('screenshots').selectAll().where('device_id', '=', deviceId).executeTakeFirst();
  return {
    ...deviceUploadRows(db, 'screenshots'),
    find,
    /** In place of the one before, which is returned, and whose measures stay until this one is measured. */
    async save({
      device_id,
      ...columns
    }: Omit<NewRow<'screenshots'>, 'measured_at' | 'measures'>): Promise<SentFile[]> {
      const before = await find(device_id);
      await db
        .insertInto('screenshots')
        .values({ device_id, ...columns })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet({ ...columns, measured_at: null }))
        .execute();
      return before ? [before] : [];
    },
    /** Those that were received since the timestamp and are not measured yet, the oldest first. */
    unmeasured: (
      sinceMs: number,
      limit: number,
    ): Promise<Pick<Row<'screenshots'>, 'device_id' | 'received_at' | 'sha256' | 'current' | 'measures'>[]> =>
      db
        .selectFrom('screenshots')
        .select(['device_id', 'received_at', 'sha256', 'current', 'measures'])
        .where('measured_at', 'is', null)
        .where('received_at', '>', sinceMs)
        .orderBy('received_at')
        .limit(limit)
        .execute(),
    /** Stores what a picture looks like, unless another one has come meanwhile; null: none could be decoded so far. */
    async setMeasures(
      deviceId: string,
      receivedMs: number,
      { series, nowMs }: { series: PictureSeries | null; nowMs: number },
    ): Promise<void> {
      await db
        .updateTable('screenshots')
        .set({ measured_at: nowMs, measures: series && JSON.stringify(series) })
        .where('device_id', '=', deviceId)
        .where('received_at', '=', receivedMs)
        .execute();
    },
  };
}
