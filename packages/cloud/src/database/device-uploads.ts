import type { Db } from './db.ts';
import type { DeviceUploadTables } from './device-upload-tables.ts';

/** The rows of what devices have sent, apart from reading and saving them. */
export function deviceUploadRows(db: Db, table: keyof DeviceUploadTables) {
  return {
    async delete(deviceId: string): Promise<void> {
      await db.deleteFrom(table).where('device_id', '=', deviceId).execute();
    },
    async deleteAll(): Promise<void> {
      await db.deleteFrom(table).execute();
    },
    async deleteBefore(receivedMs: number): Promise<void> {
      await db.deleteFrom(table).where('received_at', '<', receivedMs).execute();
    },
    async isBlobUsed(sha256: string): Promise<boolean> {
      const row = await db
        .selectFrom(table)
        .select('device_id')
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
