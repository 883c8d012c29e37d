import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Log } from '../../core/ports.ts';
import { salvage } from './salvage.ts';
import { migrate } from './schema.ts';
import { syncFolder } from './sync-folder.ts';

const SIDE_FILES = ['-wal', '-shm'] as const;
const COPIES_KEPT = 2;

const anewOf = (file: string) => `${file}.anew`;

/**
 * Builds a sound database from what a damaged one still gives back, then sets the damaged one aside under the name
 * `setAside` and lets the sound one take its place. Wherever the power goes, the next opening does the rest of it.
 */
export function rebuild(deps: { file: string; setAside: string; log: Log }): void {
  const { file, setAside, log } = deps;
  const anew = anewOf(file);
  removeDatabase(anew);
  const db = new Database(anew);
  try {
    // Without a write-ahead log, so that it is one file when it takes its place.
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = FULL');
    migrate(db);
    salvage({ from: file, into: db, log });
  } finally {
    db.close();
  }
  renameSync(file, setAside);
  for (const side of SIDE_FILES) if (existsSync(file + side)) renameSync(file + side, setAside + side);
  log.warn({ set_aside: setAside }, 'store.set_aside');
  takePlace(file);
  forgetOlder(file);
}

/** Does the rest of an exchange that the power cut off; tells where the damaged file is, null when there was none. */
export function finishRebuild(file: string): string | null {
  if (!existsSync(anewOf(file))) return null;
  if (existsSync(file)) {
    // It is not whole, and is built again if need be.
    removeDatabase(anewOf(file));
    return null;
  }
  takePlace(file);
  return copiesOf(file)[0] ?? null;
}

function takePlace(file: string): void {
  // A write-ahead log that belongs to another file would damage this one.
  for (const side of SIDE_FILES) rmSync(file + side, { force: true });
  renameSync(anewOf(file), file);
  syncFolder(dirname(file));
}

/** Removes the damaged one, wherever it is by now, and what was built of it in vain. */
export function giveUpDamaged(file: string, setAside: string): void {
  // Before the exchange the damaged one has its name still.
  if (existsSync(anewOf(file))) for (const one of [anewOf(file), file]) removeDatabase(one);
  removeDatabase(setAside);
}

function removeDatabase(file: string): void {
  for (const side of ['', '-journal', ...SIDE_FILES]) rmSync(file + side, { force: true });
}

/** On a dying disk this happens again and again, and the copies must not fill what is left of it. */
function forgetOlder(file: string): void {
  for (const copy of copiesOf(file).slice(COPIES_KEPT)) removeDatabase(copy);
}

/** Damaged files that were set aside, the newest first. */
function copiesOf(file: string): string[] {
  const prefix = `${basename(file)}.damaged-`;
  const atMs = (name: string) => Number(name.slice(prefix.length));
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix) && Number.isFinite(atMs(name)))
    .toSorted((a, b) => atMs(b) - atMs(a))
    .map((name) => join(dirname(file), name));
}
