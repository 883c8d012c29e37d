import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerEntry } from './entries.ts';

/** What was acknowledged to one process. */
export interface LedgerFile {
  write(entry: LedgerEntry): void;
  close(): void;
}

export const LEDGER_SUFFIX = '.ledger.jsonl';

/**
 * Creates a file of a ledger. Each entry is written at once, so that a killed simulator loses none; it need not survive
 * the loss of the machine.
 */
export function createLedgerFile(folder: string, name: string): LedgerFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(join(folder, `${name}${LEDGER_SUFFIX}`), 'a', 0o600);
  return {
    write: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  };
}
