import { errorCode } from './error-details.ts';

/** Why the disk or the database refuses a write that is valid in itself, or the media store any request. */
export type StorageFailure =
  'full' | 'busy' | 'read_only' | 'database_full' | 'database_unavailable' | 'media_store';

/** Code of the error thrown when the remaining space is reserved for deletions. */
const RESERVED_FOR_DELETING = 'STORAGE_FULL';
const MEDIA_STORE_FAILED = 'MEDIA_STORE_FAILED';
const DATABASE_UNAVAILABLE = 'DATABASE_UNAVAILABLE';

/** The codes of PostgreSQL (SQLSTATE, five characters), by their beginnings. */
const POSTGRES_FAILURES: readonly [begin: string, failure: StorageFailure][] = [
  ['53100', 'database_full'],
  // Lost or refused connections, too many of them, no memory, a server that stops or starts.
  ['08', 'database_unavailable'],
  ['28', 'database_unavailable'],
  ['3D000', 'database_unavailable'],
  ['53', 'database_unavailable'],
  ['57P', 'database_unavailable'],
  ['25P03', 'database_unavailable'],
  // A disk that fails; a server that only repeats what another one writes.
  ['58030', 'database_unavailable'],
  ['25006', 'database_unavailable'],
  // Conflicts with others, and a lock or a statement that took too long.
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
];

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
  if (code === MEDIA_STORE_FAILED) {
    return 'media_store';
  }
  if (code === DATABASE_UNAVAILABLE) {
    return 'database_unavailable';
  }
  return code.length === 5
    ? (POSTGRES_FAILURES.find(([begin]) => code.startsWith(begin))?.[1] ?? null)
    : null;
}

/** For `catch`: throws any other error again. */
export function ignoreStorageFailure(error: unknown): void {
  if (storageFailureOf(error) === null) {
    throw error;
  }
}

export const storageFullError = (message: string): Error =>
  Object.assign(new Error(message), { code: RESERVED_FOR_DELETING });

/** The connection to the database was lost, or could not be made; the message is why. */
export const databaseUnavailableError = (message: string, cause: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code: DATABASE_UNAVAILABLE });

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
  database_full:
    'The disk of the database server is full, so this change was not made. Reads still work; ' +
    'the operator of the cloud must free disk space there.',
  database_unavailable:
    'The database of this cloud does not answer or takes no changes now, so this was not done. Send the request again; ' +
    'if it still fails, the operator of the cloud must check the database.',
  media_store:
    'The store of the media files does not answer, so this was not done. Send the request again; ' +
    'if it still fails, the operator of the cloud must check the store.',
};
