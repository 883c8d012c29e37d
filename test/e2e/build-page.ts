import { resolve } from 'node:path';
import { build } from 'vite';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';

/**
 * Builds the page once before the end-to-end tests, which serve the build as the player does. Unpacks their browser, which takes a
 * minute and more when several files do it at the same time.
 */
export async function setup(): Promise<void> {
  await unpackBundledBrowser(bundledBrowserCacheDir());
  await build({
    configFile: resolve(import.meta.dirname, '../../renderer/vite.config.ts'),
    logLevel: 'warn',
  });
}
