import { chromium } from 'playwright';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import type { HostCloud } from './scenario-context.ts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Pairs as a technician with a phone on the cloud's `/pair` page: key, code, name, orientation, confirm. Saves a screenshot. */
export async function pairByPhone(
  cloud: HostCloud,
  {
    code,
    key,
    name,
    orientation,
    picture,
  }: { code: string; key: string; name: string; orientation?: string; picture: string },
): Promise<void> {
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const browser = await chromium.launch({
    executablePath: bundled.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...bundled.env },
  });
  try {
    const page = await browser.newPage({ ...PHONE, locale: 'en-US' });
    page.setDefaultTimeout(90_000);
    await page.goto(`${cloud.url}/pair?code=${code}`);
    await page.locator('#key').fill(key);
    await page.locator('#enter').tap();
    await page.locator('#name').fill(name);
    if (orientation !== undefined) {
      await page.getByRole('radio', { name: orientation, exact: true }).tap();
    }
    await page.locator('#pair').tap();
    await page.getByRole('heading', { name }).waitFor();
    await page.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
}
