import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';

/** What a player with this data folder shows to its cloud. */
export function readPlayerSecrets(dataDir: string): string[] {
  const database = new Sqlite(join(dataDir, 'player.sqlite'), { readonly: true });
  try {
    const tokens = database.prepare('select device_token from identity').pluck().all();
    const screenSecrets: unknown = JSON.parse(readFileSync(join(dataDir, 'screen-secret.json'), 'utf8'));
    return [
      ...z.tuple([z.string().min(8)]).parse(tokens),
      ...Object.values(z.record(z.string(), z.string().min(32)).parse(screenSecrets)),
    ];
  } finally {
    database.close();
  }
}
