import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '@placard/protocol';

/** Makes the data folder; answers with the sentence for the operator when the player cannot write there. */
export function prepareDataFolder(dataDir: string): string | null {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const probe = join(dataDir, `.write-test-${randomUUID()}`);
    writeFileSync(probe, '');
    rmSync(probe);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return `${FAULTS['data.unwritable'].help} (${dataDir}: ${code})`;
  }
}
