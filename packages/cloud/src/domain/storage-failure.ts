import { errorCode } from './error-details.ts';

/** Why the disk or the database refuses a write that is valid in itself, or the media store any request. */
export type StorageFailure = 'full' | 'busy' | 'read_only' | 'media_store';

/** Code of the error thrown when the remaining space is reserved for deletions. */
const RESERVED_FOR_DELETING = 'STORAGE_FULL';
const MEDIA_STORE_FAILED = 'MEDIA_STORE_FAILED';

/** Why the storage refused a write; null if the error has another cause. */
export function storageFailureOf(error: unknown): StorageFailure | null {
  const code = errorCode(error) ?? '';
  // SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not be enlarged.
  if (['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT', RESERVED_FOR_DELETING].includes(code)) {
    return 'full';
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return 'busy';
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS') {
    return 'read_only';
  }
  return code === MEDIA_STORE_FAILED ? 'media_store' : null;
}

/** For `catch`: throws any other error again. */
export function ignoreStorageFailure(error: unknown): void {
  if (storageFailureOf(error) === null) {
    throw error;
  }
}

export const storageFullError = (message: string): Error =>
  Object.assign(new Error(message), { code: RESERVED_FOR_DELETING });

/** The message is for the operator: what is wrong and what to do. */
export const mediaStoreError = (message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause }), {
    code: MEDIA_STORE_FAILED,
  });

/** Messages for the API client: what is wrong, and what to do. */
export const STORAGE_FAILURE_MESSAGES: Readonly<Record<StorageFailure, string>> = {
  full:
    'The disk of this cloud is full, so this change was not made. Reads and deletions still work; ' +
    'delete content or free disk space, then send the request again.',
  busy: 'The database is locked by another program, so this change was not made. Send the request again.',
  read_only:
    'The disk of this cloud is read-only, so this change was not made. Reads still work; ' +
    'the operator of the cloud must check the disk.',
  media_store:
    'The store of the media files does not answer, so this was not done. Send the request again; ' +
    'if it still fails, the operator of the cloud must check the store.',
};
