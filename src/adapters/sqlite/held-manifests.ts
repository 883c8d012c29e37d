import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { z } from 'zod';

const manifestRows = z.array(z.object({ body: z.string() }));

/** The unvalidated held manifests of a player that does not run, one per server; empty when they cannot be read. */
export function readHeldManifests(databaseFile: string): unknown[] {
  if (!existsSync(databaseFile)) {
    return [];
  }
  try {
    const db = new Database(databaseFile, { readonly: true });
    try {
      const rows = manifestRows.parse(db.prepare("SELECT body FROM manifests WHERE slot = 'held'").all());
      return rows.map(({ body }): unknown => JSON.parse(body));
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}
