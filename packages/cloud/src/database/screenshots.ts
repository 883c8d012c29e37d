import type { Db } from './db.ts';
import type { NewRow, Row } from './schema.ts';

/** The newest picture of what each device shows. */
export function screenshotRepository(db: Db) {
  return {
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
    async delete(deviceId: string): Promise<void> {
      await db.deleteFrom('screenshots').where('device_id', '=', deviceId).execute();
    },
    async deleteBefore(receivedMs: number): Promise<void> {
      await db.deleteFrom('screenshots').where('received_at', '<', receivedMs).execute();
    },
    async isBlobUsed(sha256: string): Promise<boolean> {
      const row = await db
        .selectFrom('screenshots')
        .select('device_id')
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
