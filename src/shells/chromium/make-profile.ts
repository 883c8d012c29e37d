import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/error-details.ts';

/** Chromium's number for the GTK theme. */
const GTK_SYSTEM_THEME = 1;

/**
 * Creates the folder of the browser's profile, if it does not exist.
 *
 * Before its first page a window has the colour of the browser's theme: grey at best. Where the environment names a
 * GTK theme (the units of the packages name a black one), a new profile uses that one.
 */
export async function makeProfile(profileDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const defaultProfileDir = join(profileDir, 'Default');
  await mkdir(defaultProfileDir, { recursive: true, mode: 0o700 });
  if (env['GTK_THEME'] === undefined) {
    return;
  }
  const preferences = { extensions: { theme: { system_theme: GTK_SYSTEM_THEME } } };
  await writeFile(join(defaultProfileDir, 'Preferences'), JSON.stringify(preferences), {
    flag: 'wx',
    mode: 0o600,
  }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  });
}
