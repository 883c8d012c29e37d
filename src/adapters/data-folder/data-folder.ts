import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import Database from 'better-sqlite3';

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
  try {
    mkdirSync(media, { recursive: true });
    const probe = join(dir, '.writable');
    const handle = openSync(probe, 'w');
    writeSync(handle, 'x');
    closeSync(handle);
    rmSync(probe);
  } catch (error) {
    throw new Fault('data.unwritable', 'never', { dir, reason: String(error) }, error);
  }
  // A player that is just ending gets a moment to let go.
  const lock = new Database(join(dir, 'player.lock'), { timeout: 2_000 });
  try {
    lock.pragma('journal_mode = DELETE');
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
