import type { SentFile } from '../domain/sent-files.ts';
import type { Db } from './db.ts';
import type { DeviceUploadTables } from './device-upload-tables.ts';

/** The rows of what devices have sent, apart from reading and saving them. */
export function deviceUploadRows(db: Db, table: keyof DeviceUploadTables) {
  return {
    /** Returns the files, which nothing uses after the commit. */
    delete: (deviceId: string): Promise<SentFile[]> =>
      db.deleteFrom(table).where('device_id', '=', deviceId).returning(['sha256', 'size']).execute(),
    /** Returns the files, which nothing uses after the commit. */
    deleteAll: (): Promise<SentFile[]> => db.deleteFrom(table).returning(['sha256', 'size']).execute(),
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
