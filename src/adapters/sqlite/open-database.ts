import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { Fault } from '@placard/protocol';
import Database from 'better-sqlite3';
import { errorCode } from '../../core/error-details.ts';
import type { Log } from '../../core/ports.ts';
import { finishRebuild, deleteDamaged, rebuild } from './rebuild.ts';
import { migrate } from './schema.ts';

const CORRUPTION_CODES = new Set([
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_CORRUPT_INDEX',
  'SQLITE_CORRUPT_VTAB',
]);
const DISK_FULL_CODES = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);
const READ_ONLY_CODES = new Set(['EROFS', 'EIO']);
/** While opening, bytes that the disk cannot read are treated like damaged ones. */
const UNREADABLE_CODES = new Set(['SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_CORRUPTFS']);

/**
 * Opens the player's database so that acknowledged writes survive a power cut. A damaged file is set aside for
 * support (`damagedCopyPath`) and rebuilt: the missing content comes back from the disk and the cloud.
 */
export function openDatabase(deps: { file: string; nowMs: number; log: Log }) {
  const { file, nowMs, log } = deps;
  const suspect = suspectMarkerPath(file);
  try {
    const damagedCopyPath = finishRebuild(file);
    if (damagedCopyPath) {
      rmSync(suspect, { force: true });
    }
    if (existsSync(suspect)) {
      throw new DamagedDatabase('damaged when it was last in use');
    }
    return { db: openWithLockFallback(file), damagedCopyPath };
  } catch (error) {
    if (!isCorruption(error) && !UNREADABLE_CODES.has(errorCode(error))) {
      throw toDatabaseFault(error, file);
    }
    const damagedCopyPath = `${file}.damaged-${nowMs}`;
    log.error({ set_aside: damagedCopyPath, error: String(error) }, 'database.damaged');
    const db = openRebuilt({ file, damagedCopyPath, log });
    rmSync(suspect, { force: true });
    return { db, damagedCopyPath };
  }
}

function openRebuilt(deps: { file: string; damagedCopyPath: string; log: Log }): Database.Database {
  const { file, damagedCopyPath, log } = deps;
  try {
    rebuild(deps);
    return openWithLockFallback(file);
  } catch (error) {
    if (errorCode(error) !== 'SQLITE_FULL') {
      throw toDatabaseFault(error, file);
    }
    // A full disk has room for one of the two, and playback is worth more than the copy.
    deleteDamaged(file, damagedCopyPath);
    log.error({ set_aside: damagedCopyPath }, 'database.copy_deleted');
    return openWithLockFallback(file);
  }
}

function openWithLockFallback(file: string): Database.Database {
  try {
    return openWithLocking('NORMAL', file);
  } catch (error) {
    // A disk without a free block has no room for the shared-memory file; exclusive locking needs none.
    if (!errorCode(error).startsWith('SQLITE_IOERR_SHM')) {
      throw error;
    }
    return openWithLocking('EXCLUSIVE', file);
  }
}

function openWithLocking(locking: 'NORMAL' | 'EXCLUSIVE', file: string): Database.Database {
  const db = new Database(file, { timeout: 2_000 });
  try {
    db.pragma(`locking_mode = ${locking}`);
    // Both at every open: a file in WAL mode is reopened with synchronous=NORMAL, which loses hours in a power cut.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    const journal = db.pragma('journal_mode', { simple: true });
    const synchronous = db.pragma('synchronous', { simple: true });
    if (journal !== 'wal' || synchronous !== 2) {
      throw new Error(`journal_mode is ${String(journal)}, synchronous is ${String(synchronous)}`);
    }
    const check = db.pragma('quick_check', { simple: true });
    if (check !== 'ok') {
      throw new DamagedDatabase(String(check));
    }
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class DamagedDatabase extends Error {}

export const isCorruption = (error: unknown): boolean =>
  error instanceof DamagedDatabase || CORRUPTION_CODES.has(errorCode(error));

const suspectMarkerPath = (file: string) => `${file}.suspect`;

/** Makes the next opening set the file aside, even if its quick check finds nothing. */
export function markSuspect(file: string): void {
  try {
    writeFileSync(suspectMarkerPath(file), '');
  } catch {
    // On a full disk only the quick check of the next opening remains.
  }
}

/** Converts errors of SQLite and of the file system into faults. */
export function toDatabaseFault(error: unknown, file: string): unknown {
  const code = errorCode(error);
  if (isCorruption(error)) {
    return new Fault('store.corrupt', 'later', { file, reason: code }, error);
  }
  if (DISK_FULL_CODES.has(code)) {
    return new Fault('disk.full', 'later', { file }, error);
  }
  // SQLite reports a disk that becomes read-only under an open database as an I/O error.
  if (READ_ONLY_CODES.has(code) || code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_IOERR')) {
    return new Fault('disk.readonly', 'later', { file, reason: code }, error);
  }
  if (code.startsWith('SQLITE_CANTOPEN') || code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR') {
    return new Fault('data.unwritable', 'never', { file }, error);
  }
  return error;
}
