import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { ApiError } from '../domain/api-error.ts';
import type { SentFile, SentFiles } from '../domain/sent-files.ts';

export interface DeviceUploadDeps {
  database: CloudDatabase;
  sentFiles: Pick<SentFiles, 'save' | 'delete'>;
}

/** Stores what a device has sent with the row that `write` saves, and deletes the files of the rows that this has replaced. */
export async function storeSent<T>(
  { database, sentFiles }: DeviceUploadDeps,
  bytes: Buffer,
  write: (tx: Transaction, file: SentFile) => Promise<{ result: T; replaced: readonly SentFile[] }>,
): Promise<T> {
  const { file, release } = await sentFiles.save(bytes);
  try {
    const { result, replaced } = await database.transaction((tx) => write(tx, file));
    await sentFiles.delete(replaced);
    return result;
  } catch (error) {
    // It was refused meanwhile. After another failure it may have been committed.
    if (error instanceof ApiError) {
      await sentFiles.delete([file]);
    }
    throw error;
  } finally {
    await release();
  }
}
