import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { NO_ATTEMPTS } from '../../core/menu/pin-attempts.ts';
import type { PinAttempts } from '../../core/menu/pin-attempts.ts';

const fact = z.object({ value: z.string() });
const settings = z.looseObject({
  pinAttempts: z.object({ wrong: z.int().min(0), lastAtMs: z.number() }).catch(NO_ATTEMPTS),
});

/** The tries at the menu PIN, as the player counts them: one count for its menu and for files that name a PIN. */
export interface KeptAttempts {
  read(): PinAttempts;
  /** On the disk when this returns; false when that could not be done. */
  keep(attempts: PinAttempts): boolean;
  /** The last time that the cloud told, in milliseconds since 1970; 0 when there is none. A clock may start behind it. */
  lastGoodTimeMs(): number;
  close(): void;
}

/** Opens the count in the player's database; null when there is none that can be written. The player does not run yet. */
export function openAttempts(dataDir: string): KeptAttempts | null {
  const file = join(dataDir, 'player.sqlite');
  if (!existsSync(file)) return null;
  try {
    const db = new Database(file, { fileMustExist: true, timeout: 2_000 });
    db.pragma('synchronous = FULL');
    const read = db.prepare('SELECT value FROM facts WHERE name = ?');
    const write = db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
    const valueOf = (name: string): string | null => fact.safeParse(read.get(name)).data?.value ?? null;
    const local = () => {
      const text = valueOf('local_settings');
      return settings.parse(
        text === null ? { orientation: null, pinAttempts: NO_ATTEMPTS } : JSON.parse(text),
      );
    };
    return {
      read: () => local().pinAttempts,
      keep(pinAttempts) {
        try {
          write.run('local_settings', JSON.stringify({ ...local(), pinAttempts }));
          return true;
        } catch {
          return false;
        }
      },
      lastGoodTimeMs: () => Number(valueOf('last_good_time') ?? 0) || 0,
      close: () => void db.close(),
    };
  } catch {
    return null;
  }
}
