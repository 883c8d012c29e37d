import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orientation } from '@placard/protocol';
import { z } from 'zod';

/** What was imported from a `placard.json`, kept in the data folder. The PIN is there as its hash alone. */
const provisioned = z.object({
  settings: z.object({
    server: z.string().optional(),
    orientation: orientation.optional(),
    proxy: z.string().optional(),
    caFile: z.string().optional(),
  }),
  menuPinHash: z.string().nullable(),
  /** SHA-256 of every file that was dealt with, as it was and as it was left: each is imported once. */
  seen: z.array(z.string()),
  /** SHA-256 of files that named a wrong PIN, with the PIN that was set then: each is one try, not one a start. */
  wrong: z.array(z.string()).default([]),
});

export type Provisioned = z.infer<typeof provisioned>;

const NOTHING: Provisioned = { settings: {}, menuPinHash: null, seen: [], wrong: [] };
const pathIn = (dataDir: string) => join(dataDir, 'provisioned.json');

/** Nothing when nothing was imported, or when the file cannot be understood. */
export function readProvisioned(dataDir: string): Provisioned {
  try {
    return provisioned.parse(JSON.parse(readFileSync(pathIn(dataDir), 'utf8')));
  } catch {
    return NOTHING;
  }
}

/** Readable by its owner only: a proxy may want a password. */
export function keepProvisioned(dataDir: string, value: Provisioned): void {
  const path = pathIn(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
