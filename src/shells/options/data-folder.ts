import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { findSubstitute } from '../../adapters/data-folder/substitute-folder.ts';
import { errorCode } from '../../core/error-details.ts';
import { StartupError } from './startup-error.ts';

/**
 * Creates the data folder; throws a `StartupError` when the player cannot write there. A player whose disk has
 * become read-only still shows its cached media.
 */
export function prepareDataFolder(dataDir: string): void {
  const code = findWriteErrorCode(dataDir);
  if (code !== null && !(code === 'EROFS' && existsSync(join(dataDir, 'media')))) {
    throw new StartupError(`${FAULTS['data.unwritable']} (${dataDir}: ${code})`);
  }
}

/**
 * The browser's profile folder and extra environment variables: it does not start where it cannot write, and the
 * temporary folder may be on the same read-only disk.
 */
export function locateBrowserProfile(dataDir: string): { profileDir: string; env: { TMPDIR?: string } } {
  const substitute = findWriteErrorCode(dataDir) === 'EROFS' ? findSubstitute(dataDir) : null;
  return {
    profileDir: join(substitute?.dir ?? dataDir, 'browser'),
    env: substitute && process.platform !== 'win32' ? { TMPDIR: substitute.dir } : {},
  };
}

/** Whether files can be created in a folder, which is created if it does not exist. */
export const isWritable = (folder: string): boolean => findWriteErrorCode(folder) === null;

function findWriteErrorCode(folder: string): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const probe = join(folder, `.write-test-${randomUUID()}`);
    writeFileSync(probe, '');
    rmSync(probe);
    return null;
  } catch (error) {
    return errorCode(error) || String(error);
  }
}
