import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { readProvisioningState } from './provisioning-state.ts';

const manifestRows = z.array(z.object({ body: z.string() }));
const manifestWithPin = z.object({
  device: z.object({ menu_pin_hash: z.string().nullable().default(null) }),
});

/** Whether this player is paired. */
export function isPaired(dataDir: string): boolean {
  try {
    const identities: unknown = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8'));
    return typeof identities === 'object' && identities !== null && Object.keys(identities).length > 0;
  } catch {
    return false;
  }
}

/** Hashes of the PIN that the cloud has set, or else of the installation's. Used before the player runs. */
export function readPinHashes(dataDir: string): string[] {
  const cloudHashes = readHeldManifests(join(dataDir, 'player.sqlite')).flatMap((body) => {
    const hash = manifestWithPin.safeParse(body).data?.device.menu_pin_hash;
    return hash ? [hash] : [];
  });
  const installationHash = readProvisioningState(dataDir).menuPinHash;
  return cloudHashes.length > 0 || installationHash === null ? cloudHashes : [installationHash];
}

function readHeldManifests(databaseFile: string): unknown[] {
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
