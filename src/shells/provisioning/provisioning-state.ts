import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orientation } from '@placard/protocol';
import { z } from 'zod';
import { writeDurablySync } from '../../adapters/files/durable-file.ts';

/** The settings imported from a `placard.json`, stored in the data folder. The PIN is stored only as its hash. */
const provisioningState = z.object({
  settings: z.object({
    server: z.string().optional(),
    orientation: orientation.optional(),
    proxy: z.string().optional(),
    caFile: z.string().optional(),
  }),
  menuPinHash: z.string().nullable(),
  /** SHA-256 of every imported file, before and after its secrets were erased: each is imported once. */
  seen: z.array(z.string()),
  /** SHA-256 of files with a wrong PIN, together with the PIN set then: each is one attempt, not one per start. */
  wrong: z.array(z.string()).default([]),
});

export type ProvisioningState = z.infer<typeof provisioningState>;

const EMPTY_STATE: ProvisioningState = { settings: {}, menuPinHash: null, seen: [], wrong: [] };
const statePath = (dataDir: string) => join(dataDir, 'provisioned.json');

/** Empty when nothing was imported, or when the file is invalid. */
export function readProvisioningState(dataDir: string): ProvisioningState {
  try {
    return provisioningState.parse(JSON.parse(readFileSync(statePath(dataDir), 'utf8')));
  } catch {
    return EMPTY_STATE;
  }
}

/**
 * Durable, because the imported file is erased next. Readable by its owner only: the proxy may include a password.
 */
export function saveProvisioningState(dataDir: string, value: ProvisioningState): void {
  writeDurablySync(statePath(dataDir), `${JSON.stringify(value, null, 2)}\n`);
}
