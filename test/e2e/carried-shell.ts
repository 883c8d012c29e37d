import { carriedCacheDir, unpackCarriedBrowser } from '../../src/shells/chromium/carried-browser.ts';
import type { ChromiumShellDeps } from '../../src/shells/chromium/chromium-shell.ts';

/** What a shell needs to draw in the browser that comes with npm. Its first use unpacks it, which takes a minute. */
export async function carriedShell(
  profileDir: string,
  width: number,
  height: number,
): Promise<ChromiumShellDeps> {
  const carried = await unpackCarriedBrowser(carriedCacheDir());
  return {
    executable: carried.executable,
    headless: true,
    profileDir,
    sandbox: false,
    env: { ...process.env, ...carried.env },
    platform: process.platform,
    graphics: true,
    windowSize: { width, height },
  };
}
