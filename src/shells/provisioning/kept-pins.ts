import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { readProvisioned } from './provisioned.ts';

const bodies = z.array(z.object({ body: z.string() }));
const manifest = z.object({ device: z.object({ menu_pin_hash: z.string().nullable().default(null) }) });

/** Whether this player belongs to somebody. */
export function isPaired(dataDir: string): boolean {
  try {
    const identities: unknown = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8'));
    return typeof identities === 'object' && identities !== null && Object.keys(identities).length > 0;
  } catch {
    return false;
  }
}

/** Hashes of the PIN that the cloud has set, or else of the one of the installation. The player does not run yet. */
export function keptPinHashes(dataDir: string): string[] {
  const told = manifestsIn(join(dataDir, 'player.sqlite')).flatMap((body) => {
    const hash = manifest.safeParse(body).data?.device.menu_pin_hash;
    return hash ? [hash] : [];
  });
  const installed = readProvisioned(dataDir).menuPinHash;
  return told.length > 0 || installed === null ? told : [installed];
}

function manifestsIn(database: string): unknown[] {
  if (!existsSync(database)) return [];
  try {
    const db = new Database(database, { readonly: true });
    try {
      const rows = bodies.parse(db.prepare("SELECT body FROM manifests WHERE slot = 'held'").all());
      return rows.map(({ body }): unknown => JSON.parse(body));
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}
