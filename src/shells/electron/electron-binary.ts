import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Path of the Electron binary, or null when it was never downloaded. Only checks the files: importing the package
 * would start a download.
 */
export function findElectronBinary(env: NodeJS.ProcessEnv): string | null {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
    const relativePath = readFileSync(join(folder, 'path.txt'), 'utf8').trim();
    const binary = join(env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist'), relativePath);
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}
