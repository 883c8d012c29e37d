import { chromium } from 'playwright';
import { carriedCacheDir, unpackCarriedBrowser } from '../../src/shells/chromium/carried-browser.ts';
import type { TrialCloud } from './trial.ts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** A technician's phone on the cloud's `/pair` page: key, code, name, orientation, confirm. Keeps a picture of the end. */
export async function pairByPhone(
  cloud: TrialCloud,
  {
    code,
    key,
    name,
    orientation,
    picture,
  }: { code: string; key: string; name: string; orientation?: string; picture: string },
): Promise<void> {
  const carried = await unpackCarriedBrowser(carriedCacheDir());
  const browser = await chromium.launch({
    executablePath: carried.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...carried.env },
  });
  try {
    const page = await browser.newPage({ ...PHONE, locale: 'en-US' });
    page.setDefaultTimeout(90_000);
    await page.goto(`${cloud.url}/pair?code=${code}`);
    await page.locator('#key').fill(key);
    await page.locator('#enter').tap();
    await page.locator('#name').fill(name);
    if (orientation !== undefined) await page.getByRole('radio', { name: orientation, exact: true }).tap();
    await page.locator('#pair').tap();
    await page.getByRole('heading', { name }).waitFor();
    await page.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
}
