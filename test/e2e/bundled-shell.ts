import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import type { ChromiumShellDeps } from '../../src/shells/chromium/chromium-shell.ts';

/** Dependencies of a shell with the Chromium from npm. Its first use unpacks the browser, which takes a minute. */
export async function bundledShellDeps(
  profileDir: string,
  width: number,
  height: number,
): Promise<ChromiumShellDeps> {
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  return {
    executable: bundled.executable,
    headless: true,
    profileDir,
    sandbox: false,
    env: { ...process.env, ...bundled.env },
    platform: process.platform,
    hasGraphics: true,
    windowSize: { width, height },
  };
}
