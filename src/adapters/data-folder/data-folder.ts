import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import Database from 'better-sqlite3';

/** Kept aside for a start on a full disk: SQLite needs a few pages of its own just to open a database for reading. */
const RESERVE_BYTES = 1024 * 1024;

export interface DataFolder {
  database: string;
  identity: string;
  media: string;
  status: string;
  /** Lets another player have the folder. */
  release(): void;
}

/**
 * Takes the data folder for this player alone. Throws `Fault` `data.unwritable` or `data.locked`.
 * The lock is one of the operating system, held through SQLite: it ends with the process, however that ends.
 */
export function takeDataFolder(dir: string): DataFolder {
  const media = join(dir, 'media');
  const reserve = join(dir, 'reserve');
  try {
    mkdirSync(media, { recursive: true });
    if (!existsSync(reserve)) writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES));
    const probe = join(dir, '.writable');
    const handle = openSync(probe, 'w');
    writeSync(handle, 'x');
    closeSync(handle);
    rmSync(probe);
  } catch (error) {
    // A full disk is no reason to refuse: what is held can be shown. The database opens in what is set free here.
    if (isDiskFull(error)) rmSync(reserve, { force: true });
    else throw new Fault('data.unwritable', 'never', { dir, reason: String(error) }, error);
  }
  // A player that is just ending gets a moment to let go.
  const lock = new Database(join(dir, 'player.lock'), { timeout: 2_000 });
  try {
    // In memory, because the lock alone is wanted: no byte of it needs the disk.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Fault('data.locked', 'never', { dir }, error);
  }
  return {
    database: join(dir, 'player.sqlite'),
    identity: join(dir, 'identity.json'),
    media,
    status: join(dir, 'status.json'),
    release: () => void lock.close(),
  };
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
