import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { NO_ATTEMPTS } from '../../core/menu/pin-attempts.ts';
import type { PinAttempts } from '../../core/menu/pin-attempts.ts';

const factRow = z.object({ value: z.string() });
const localSettings = z.looseObject({
  pinAttempts: z.object({ wrong: z.int().min(0), lastAtMs: z.number() }).catch(NO_ATTEMPTS),
});

/**
 * Opens the stored count of attempts at the menu PIN, shared by the menu and by files that name a PIN, before the player
 * runs; null when there is no database that is writable.
 */
export function openStoredPinAttempts(dataDir: string) {
  const file = join(dataDir, 'player.sqlite');
  if (!existsSync(file)) {
    return null;
  }
  try {
    const db = new Database(file, { fileMustExist: true, timeout: 2_000 });
    db.pragma('synchronous = FULL');
    const read = db.prepare('SELECT value FROM facts WHERE name = ?');
    const write = db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
    const readValue = (name: string): string | null => factRow.safeParse(read.get(name)).data?.value ?? null;
    const readLocalSettings = () => {
      const text = readValue('local_settings');
      return localSettings.parse(
        text === null ? { orientation: null, pinAttempts: NO_ATTEMPTS } : JSON.parse(text),
      );
    };
    return {
      read: (): PinAttempts => readLocalSettings().pinAttempts,
      /** The count is on the disk when this returns; false when it could not be written. */
      save(pinAttempts: PinAttempts): boolean {
        try {
          write.run('local_settings', JSON.stringify({ ...readLocalSettings(), pinAttempts }));
          return true;
        } catch {
          return false;
        }
      },
      /** The last server time in milliseconds since 1970; 0 when there is none. The clock may start behind it. */
      lastGoodTimeMs: () => Number(readValue('last_good_time') ?? 0) || 0,
      close: () => void db.close(),
    };
  } catch {
    return null;
  }
}
