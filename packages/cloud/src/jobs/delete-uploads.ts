import type { JobDeps } from './deps.ts';

const UPLOADS_AT_ONCE = 100;

type DeleteUploadsDeps = Pick<JobDeps, 'database' | 'uploadFiles' | 'clock'>;

/** Deletes uploads that have expired, with their bytes. */
export async function deleteExpiredUploads({
  database,
  uploadFiles,
  clock,
}: DeleteUploadsDeps): Promise<void> {
  const nowMs = clock.nowMs();
  for (;;) {
    const expired = await database.uploads.listExpired(nowMs, UPLOADS_AT_ONCE);
    for (const { id } of expired) {
      // First the row: without it nobody appends bytes that are recorded.
      await database.transaction((tx) => tx.uploads.delete(id), { freesSpace: true });
      await uploadFiles.delete(id);
    }
    if (expired.length < UPLOADS_AT_ONCE) {
      return;
    }
  }
}

/** Deletes bytes of uploads that are no longer known: a crash has left them. */
export async function deleteUnknownUploads({
  database,
  uploadFiles,
}: Pick<DeleteUploadsDeps, 'database' | 'uploadFiles'>): Promise<void> {
  for await (const id of uploadFiles.list()) {
    const upload = await database.uploads.find(id);
    if (!upload || upload.state === 'finished' || upload.state === 'failed') {
      await uploadFiles.delete(id);
    }
  }
}
