import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A headless Chromium that came inside an npm package, unpacked and ready to run. */
export interface CarriedBrowser {
  executable: string;
  /** Added to the environment of the browser. */
  env: Readonly<Record<string, string>>;
}

const PACKAGE = '@sparticuz/chromium';
const UNPACK_PATIENCE_MS = 120_000;

/** Where the package is, or null when it was not installed (it is only a development dependency). */
export function carriedPackage(): string | null {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return null;
  }
}

/** Beside the packages, where everything may be thrown away. */
export function carriedCacheDir(): string {
  const entry = carriedPackage();
  if (entry === null) throw new Error(`${PACKAGE} is not installed`);
  // node_modules/@sparticuz/chromium/build/index.js
  return join(dirname(entry), '..', '..', '..', '.cache', 'placard');
}

/**
 * Unpacks the carried Chromium once per version into `cacheDir`. The package itself would unpack into the
 * shared temp folder and trust whatever lies there under the right name; here it works in a private folder
 * that is renamed when it is whole, so that two players at once, or one that is killed, leave no half browser.
 */
export async function unpackCarriedBrowser(cacheDir: string): Promise<CarriedBrowser> {
  const entry = carriedPackage();
  if (entry === null) throw new Error(`${PACKAGE} is not installed`);
  const home = join(cacheDir, `chromium-${await versionOf(entry)}-${process.arch}`);
  if (!existsSync(join(home, 'chromium'))) {
    await mkdir(cacheDir, { recursive: true });
    const staging = await mkdtemp(join(cacheDir, 'unpacking-'));
    try {
      await promisify(execFile)(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `const { default: chromium } = await import(${JSON.stringify(pathToFileURL(entry).href)}); await chromium.executablePath();`,
        ],
        {
          env: { ...process.env, TMPDIR: staging, TMP: staging, TEMP: staging },
          timeout: UNPACK_PATIENCE_MS,
        },
      );
      await pointFontsAt(staging, home);
      // Whoever unpacked it, every user of this installation may run it.
      await chmod(join(staging, 'chromium'), 0o755);
      await chmod(staging, 0o755);
      await rename(staging, home).catch((error: unknown) => {
        // Another player was faster; its browser is as good.
        if (!existsSync(join(home, 'chromium'))) throw error;
      });
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  return {
    executable: join(home, 'chromium'),
    // A bare machine has no font set-up; the package brings one font along.
    env: existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(home, 'fonts') },
  };
}

/** The font set-up of the package names the shared temp folder. */
async function pointFontsAt(staging: string, home: string): Promise<void> {
  const path = join(staging, 'fonts', 'fonts.conf');
  if (!existsSync(path)) return;
  const config = await readFile(path, 'utf8');
  await writeFile(path, config.replaceAll(/<dir>[^<]*<\/dir>/g, `<dir>${join(home, 'fonts')}</dir>`));
}

async function versionOf(entry: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : null;
  return typeof version === 'string' ? version : 'unknown';
}
