import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readHeldManifests } from '../../adapters/sqlite/held-manifests.ts';
import { readProvisioningState } from './provisioning-state.ts';

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
