import type { Db } from './db.ts';
import { deviceUploadRows } from './device-uploads.ts';
import type { NewRow, Row } from './schema.ts';

/** The newest picture of what each device shows. */
export function screenshotRepository(db: Db) {
  return {
    ...deviceUploadRows(db, 'screenshots'),
    find: (deviceId: string): Promise<Row<'screenshots'> | undefined> =>
      db.selectFrom('screenshots').selectAll().where('device_id', '=', deviceId).executeTakeFirst(),
    /** In place of the one before. */
    async save({ device_id, ...columns }: NewRow<'screenshots'>): Promise<void> {
      await db
        .insertInto('screenshots')
        .values({ device_id, ...columns })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet(columns))
        .execute();
    },
  };
}
