import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { Fault } from '@placard/protocol';
import Database from 'better-sqlite3';
import type { Log } from '../../core/ports.ts';
import { finishRebuild, giveUpDamaged, rebuild } from './rebuild.ts';
import { migrate } from './schema.ts';

const CORRUPT = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CORRUPT_INDEX', 'SQLITE_CORRUPT_VTAB']);
const FULL = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);
const READ_ONLY = new Set(['EROFS', 'EIO']);
/** At the opening, bytes that the disk does not give back any more are as good as damaged. */
const UNREADABLE = new Set(['SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_CORRUPTFS']);

export interface OpenedDatabase {
  db: Database.Database;
  /** Where a damaged file was put; null when the file was sound. */
  setAside: string | null;
}

/**
 * Opens the player's database so that what it acknowledges survives a power cut. A damaged file is set aside for
 * support and a fresh one begun: its content comes back from the disk and the cloud.
 */
export function openDatabase(deps: { file: string; nowMs: number; log: Log }): OpenedDatabase {
  const { file, nowMs, log } = deps;
  const suspect = suspectOf(file);
  try {
    const setAside = finishRebuild(file);
    if (setAside) rmSync(suspect, { force: true });
    if (existsSync(suspect)) throw new DamagedDatabase('damaged when it was last in use');
    return { db: openSound(file), setAside };
  } catch (error) {
    if (!isCorruption(error) && !UNREADABLE.has(codeOf(error))) throw translate(error, file);
    const setAside = `${file}.damaged-${nowMs}`;
    log.error({ set_aside: setAside, error: String(error) }, 'store.corrupt');
    const db = openAnew({ file, setAside, log });
    rmSync(suspect, { force: true });
    return { db, setAside };
  }
}

function openAnew(deps: { file: string; setAside: string; log: Log }): Database.Database {
  const { file, setAside, log } = deps;
  try {
    rebuild(deps);
    return openSound(file);
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_FULL') throw translate(error, file);
    // A full disk has room for one of the two, and the screen is worth more than the copy.
    giveUpDamaged(file, setAside);
    log.error({ set_aside: setAside }, 'store.copy_given_up');
    return openSound(file);
  }
}

function openSound(file: string): Database.Database {
  try {
    return openIn('NORMAL', file);
  } catch (error) {
    // A disk without one free block has no room for the memory that processes share; there is one process only.
    if (!codeOf(error).startsWith('SQLITE_IOERR_SHM')) throw error;
    return openIn('EXCLUSIVE', file);
  }
}

function openIn(locking: 'NORMAL' | 'EXCLUSIVE', file: string): Database.Database {
  const db = new Database(file, { timeout: 2_000 });
  try {
    db.pragma(`locking_mode = ${locking}`);
    // Both at every open: a file in WAL mode comes back with synchronous=NORMAL, which loses hours in a power cut.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    const journal = db.pragma('journal_mode', { simple: true });
    const synchronous = db.pragma('synchronous', { simple: true });
    if (journal !== 'wal' || synchronous !== 2) {
      throw new Error(`journal_mode is ${String(journal)}, synchronous is ${String(synchronous)}`);
    }
    const check = db.pragma('quick_check', { simple: true });
    if (check !== 'ok') throw new DamagedDatabase(String(check));
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class DamagedDatabase extends Error {}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const isCorruption = (error: unknown): boolean =>
  error instanceof DamagedDatabase || CORRUPT.has(codeOf(error));

const suspectOf = (file: string) => `${file}.suspect`;

/** The next opening sets the file aside, even if a quick look at it finds nothing. */
export function suspectDatabase(file: string): void {
  try {
    writeFileSync(suspectOf(file), '');
  } catch {
    // On a full disk the look that is taken at every opening has to do.
  }
}

/** Errors of SQLite and of the file system in the player's own words. */
export function translate(error: unknown, file: string): unknown {
  const code = codeOf(error);
  if (isCorruption(error)) return new Fault('store.corrupt', 'later', { file, reason: code }, error);
  if (FULL.has(code)) return new Fault('disk.full', 'later', { file }, error);
  // A disk that goes read-only under an open database is an I/O error to it.
  if (READ_ONLY.has(code) || code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_IOERR')) {
    return new Fault('disk.readonly', 'later', { file, reason: code }, error);
  }
  if (code.startsWith('SQLITE_CANTOPEN') || code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR') {
    return new Fault('data.unwritable', 'never', { file }, error);
  }
  return error;
}
