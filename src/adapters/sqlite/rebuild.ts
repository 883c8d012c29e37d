import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Log } from '../../core/ports.ts';
import { syncFolderSync } from '../files/durable-file.ts';
import { salvage } from './salvage.ts';
import { migrate } from './schema.ts';

const SIDECAR_SUFFIXES = ['-wal', '-shm'] as const;
const MAX_DAMAGED_COPIES = 2;

const rebuiltPath = (file: string) => `${file}.anew`;

/**
 * Builds an intact database from the readable rows of a damaged one, moves the damaged one to `damagedCopyPath` and
 * puts the rebuilt one in its place. After a power cut at any moment the next opening finishes the rest.
 */
export function rebuild(deps: { file: string; damagedCopyPath: string; log: Log }): void {
  const { file, damagedCopyPath, log } = deps;
  const rebuiltFile = rebuiltPath(file);
  removeDatabase(rebuiltFile);
  const db = new Database(rebuiltFile);
  try {
    // Without a write-ahead log, so that a single rename swaps it in.
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = FULL');
    migrate(db);
    salvage({ from: file, into: db, log });
  } finally {
    db.close();
  }
  renameSync(file, damagedCopyPath);
  for (const side of SIDECAR_SUFFIXES) {
    if (existsSync(file + side)) {
      renameSync(file + side, damagedCopyPath + side);
    }
  }
  log.warn({ set_aside: damagedCopyPath }, 'database.set_aside');
  swapInRebuilt(file);
  deleteOlderCopies(file);
}

/** Finishes a swap that a power cut interrupted; returns the path of the damaged file, null when there was none. */
export function finishRebuild(file: string): string | null {
  if (!existsSync(rebuiltPath(file))) {
    return null;
  }
  if (existsSync(file)) {
    // The rebuilt file is incomplete, and is built again if necessary.
    removeDatabase(rebuiltPath(file));
    return null;
  }
  swapInRebuilt(file);
  return listDamagedCopies(file)[0] ?? null;
}

function swapInRebuilt(file: string): void {
  // The write-ahead log of another file would damage this one.
  for (const side of SIDECAR_SUFFIXES) {
    rmSync(file + side, { force: true });
  }
  renameSync(rebuiltPath(file), file);
  syncFolderSync(dirname(file));
}

/** Deletes the damaged file, wherever it is now, and an incomplete rebuilt one. */
export function deleteDamaged(file: string, damagedCopyPath: string): void {
  // Before the swap the damaged file still has its own name.
  if (existsSync(rebuiltPath(file))) {
    for (const one of [rebuiltPath(file), file]) {
      removeDatabase(one);
    }
  }
  removeDatabase(damagedCopyPath);
}

function removeDatabase(file: string): void {
  for (const side of ['', '-journal', ...SIDECAR_SUFFIXES]) {
    rmSync(file + side, { force: true });
  }
}

/** On a failing disk this happens repeatedly, and the copies must not fill it. */
function deleteOlderCopies(file: string): void {
  for (const copy of listDamagedCopies(file).slice(MAX_DAMAGED_COPIES)) {
    removeDatabase(copy);
  }
}

/** Damaged files that were set aside, the newest first. */
function listDamagedCopies(file: string): string[] {
  const prefix = `${basename(file)}.damaged-`;
  const atMs = (name: string) => Number(name.slice(prefix.length));
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix) && Number.isFinite(atMs(name)))
    .toSorted((a, b) => atMs(b) - atMs(a))
    .map((name) => join(dirname(file), name));
}
