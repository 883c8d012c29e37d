import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Chromium's number of the theme of GTK. */
const GTK = 1;

/**
 * Makes the folder of the browser's profile, if it is not there.
 *
 * Before its first page a window has the colour of the browser's own theme: grey at best. Where the environment names a
 * theme of GTK (the units of the packages name one that is black), a new profile takes that one.
 */
export async function makeProfile(
  profileDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const first = join(profileDir, 'Default');
  await mkdir(first, { recursive: true, mode: 0o700 });
  if (env['GTK_THEME'] === undefined) return;
  const preferences = { extensions: { theme: { system_theme: GTK } } };
  await writeFile(join(first, 'Preferences'), JSON.stringify(preferences), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}
