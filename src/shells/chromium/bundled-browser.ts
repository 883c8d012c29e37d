import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A headless Chromium from an npm package, unpacked and ready to run. */
export interface BundledBrowser {
  executable: string;
  /** Added to the environment of the browser. */
  env: Readonly<Record<string, string>>;
}

const PACKAGE = '@sparticuz/chromium';
const UNPACK_TIMEOUT_MS = 120_000;

/** Path of the package, or null when it is not installed (it is only a development dependency). */
export function findBundledPackage(): string | null {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return null;
  }
}

/** A cache folder in `node_modules`, which may be deleted at any time. */
export function bundledBrowserCacheDir(): string {
  const entry = findBundledPackage();
  if (entry === null) {
    throw new Error(`${PACKAGE} is not installed`);
  }
  // node_modules/@sparticuz/chromium/build/index.js
  return join(dirname(entry), '..', '..', '..', '.cache', 'placard');
}

/**
 * Unpacks the bundled Chromium into `cacheDir`, once per version. The package itself would unpack into the shared
 * temporary folder and trust any file with the right name there. Here it unpacks into a private folder, which is
 * renamed when complete, so that two players at once, or a killed one, leave no partial browser.
 */
export async function unpackBundledBrowser(cacheDir: string): Promise<BundledBrowser> {
  const entry = findBundledPackage();
  if (entry === null) {
    throw new Error(`${PACKAGE} is not installed`);
  }
  const installDir = join(cacheDir, `chromium-${await readPackageVersion(entry)}-${process.arch}`);
  if (!existsSync(join(installDir, 'chromium'))) {
    await mkdir(cacheDir, { recursive: true });
    const stagingDir = await mkdtemp(join(cacheDir, 'unpacking-'));
    try {
      await promisify(execFile)(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `const { default: chromium } = await import(${JSON.stringify(pathToFileURL(entry).href)}); await chromium.executablePath();`,
        ],
        {
          env: { ...process.env, TMPDIR: stagingDir, TMP: stagingDir, TEMP: stagingDir },
          timeout: UNPACK_TIMEOUT_MS,
        },
      );
      await pointFontsAt(stagingDir, installDir);
      // Any user of this installation may run it, whoever unpacked it.
      await chmod(join(stagingDir, 'chromium'), 0o755);
      await chmod(stagingDir, 0o755);
      await rename(stagingDir, installDir).catch((error: unknown) => {
        // Another player has finished first; its browser is the same.
        if (!existsSync(join(installDir, 'chromium'))) {
          throw error;
        }
      });
    } finally {
      await rm(stagingDir, { recursive: true, force: true });
    }
  }
  return {
    executable: join(installDir, 'chromium'),
    // A minimal system has no font configuration; the package includes one font.
    env: existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(installDir, 'fonts') },
  };
}

/** The font configuration of the package points to the shared temporary folder. */
async function pointFontsAt(stagingDir: string, installDir: string): Promise<void> {
  const path = join(stagingDir, 'fonts', 'fonts.conf');
  if (!existsSync(path)) {
    return;
  }
  const config = await readFile(path, 'utf8');
  await writeFile(path, config.replaceAll(/<dir>[^<]*<\/dir>/g, `<dir>${join(installDir, 'fonts')}</dir>`));
}

async function readPackageVersion(entry: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : null;
  return typeof version === 'string' ? version : 'unknown';
}
