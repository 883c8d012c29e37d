import { codeOf } from './error-facts.ts';

/** What keeps the disk or the database from taking a write that is right in itself. */
export type StorageTrouble = 'full' | 'busy' | 'read_only';

/** The code of an error with which a write is refused, because what is left of the disk is kept for deleting. */
const KEPT_FOR_DELETING = 'STORAGE_FULL';

/** Why the storage did not take a write; null when the error says something else. */
export function storageTroubleOf(error: unknown): StorageTrouble | null {
  const code = codeOf(error) ?? '';
  // SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not be made longer.
  if (['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT', KEPT_FOR_DELETING].includes(code))
    return 'full';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS') return 'read_only';
  return null;
}

export const storageFull = (message: string): Error =>
  Object.assign(new Error(message), { code: KEPT_FOR_DELETING });

/** One sentence for whoever asked for the change: what is wrong, and what to do. */
export const TROUBLE_SENTENCES: Readonly<Record<StorageTrouble, string>> = {
  full:
    'The disk of this cloud is full, so this change was not made. Reading and deleting go on; ' +
    'delete content or make room on the disk, then send it again.',
  busy: 'The database is held by another program just now, so this change was not made. Send it again.',
  read_only:
    'The disk of this cloud does not take writes at present, so this change was not made. Reading goes on; ' +
    'the operator of the cloud has to look at the disk.',
};
