import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { findSubstitute } from '../adapters/data-folder/read-only.ts';

/**
 * Makes the data folder; answers with the sentence for the operator when the player cannot write there. A player
 * whose disk has become read-only shows what it has.
 */
export function prepareDataFolder(dataDir: string): string | null {
  const code = whyUnwritable(dataDir);
  if (code === null || (code === 'EROFS' && existsSync(join(dataDir, 'media')))) return null;
  return `${FAULTS['data.unwritable'].help} (${dataDir}: ${code})`;
}

/**
 * Where the browser keeps its own things, and what it has to be told for it: it does not start where it cannot
 * write, and the place for temporary files may be on the same read-only disk.
 */
export function browserPlace(dataDir: string): { profileDir: string; env: { TMPDIR?: string } } {
  const place = whyUnwritable(dataDir) === 'EROFS' ? findSubstitute(dataDir) : null;
  return {
    profileDir: join(place?.dir ?? dataDir, 'browser'),
    env: place && process.platform !== 'win32' ? { TMPDIR: place.dir } : {},
  };
}

/** Whether files can be made in a folder, which is made if it is not there. */
export const isWritable = (folder: string): boolean => whyUnwritable(folder) === null;

function whyUnwritable(folder: string): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const probe = join(folder, `.write-test-${randomUUID()}`);
    writeFileSync(probe, '');
    rmSync(probe);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
