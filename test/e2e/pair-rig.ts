import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import { chromium, type Locator, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { cloudApi } from '../../scripts/start/cloud-api.ts';
import { carriedCacheDir, unpackCarriedBrowser } from '../../src/shells/chromium/carried-browser.ts';
import { PHONE_PROBLEMS } from './phone-problems.ts';

/** Two busy cores start a browser, a runtime and a cloud in their own time. */
export const PATIENCE_MS = 90_000;
const ADMIN_KEY = 'plk_pair-page-test-admin-key-0123456789';
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

export const withId = z.object({ id: z.string() });
const withIdAndKey = withId.extend({ key: z.string() });

export interface PhoneLook {
  /** As the browser asks for it, BCP 47. */
  locale?: string;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** Runs in the page before anything else does. */
  before?: string;
}

/** A cloud, and phones to open its pairing page with. */
export async function startPairRig() {
  const folder = await mkdtemp(join(tmpdir(), 'placard-pair-page-'));
  /** How far the cloud's clock is ahead of this machine's. */
  let aheadMs = 0;
  const cloud = await startCloud({
    host: '127.0.0.1',
    port: 0,
    dataDir: join(folder, 'cloud'),
    adminKey: ADMIN_KEY,
    logLevel: 'fatal',
    clock: {
      nowMs: () => Date.now() + aheadMs,
      setTimer(delayMs, run) {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
  const carried = await unpackCarriedBrowser(carriedCacheDir());
  const browser = await chromium.launch({
    executablePath: carried.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...carried.env },
  });
  const admin = cloudApi(cloud.url, ADMIN_KEY);

  return {
    folder,
    url: cloud.url,
    admin,
    passTime(ms: number): void {
      aheadMs += ms;
    },
    newKey: (scope: string) => admin.post(withIdAndKey, '/v1/api-keys', { name: `A ${scope} key`, scope }),

    /** A phone with the page open, which notes every request that it makes and everything that goes wrong. */
    async openPhone(query = '', { before, ...look }: PhoneLook = {}) {
      const context = await browser.newContext({ ...PHONE, locale: 'en-US', ...look });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      if (before !== undefined) await page.addInitScript(before);
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) =>
        asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
      );
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${cloud.url}/pair${query}`);
      return { page, context, asked, complaints };
    },

    /** A screen that waits, as a player asks for its code. */
    async waitingScreen(serial: string): Promise<string> {
      const response = await fetch(`${cloud.url}/v1/player/pairing`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          serial,
          platform: 'linux',
          player_version: '0.1.0',
          hostname: `Box ${serial}`,
        }),
      });
      return z.object({ data: z.object({ code: z.string() }) }).parse(await response.json()).data.code;
    },

    /** What the page can say, by language and name. */
    async words() {
      const module = await fetch(`${cloud.url}/pair/words.js`).then((response) => response.text());
      return z
        .record(z.string(), z.record(z.string(), z.string()))
        .parse(JSON.parse(/WORDS = (.*);/.exec(module)![1]!));
    },

    async close(): Promise<void> {
      await browser.close();
      await cloud.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type PairRig = Awaited<ReturnType<typeof startPairRig>>;

/** Controls of the page by what they are, whatever language it speaks. */
export const keyField = (page: Page): Locator => page.locator('#key');
export const codeField = (page: Page): Locator => page.locator('#code');
export const nameField = (page: Page): Locator => page.locator('#name');
export const pairButton = (page: Page): Locator => page.locator('#pair');
export const alertOf = (page: Page): Locator => page.getByRole('alert');

export async function giveKey(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  await page.locator('#enter').tap();
}

/** Waits for the alert to say something with these words. */
export const alarmed = (page: Page, words: string | RegExp): Promise<void> =>
  alertOf(page).filter({ hasText: words }).waitFor();

/** What a thumb or an eye would stumble over on the page as it is. */
export async function problemsOf(page: Page): Promise<string[]> {
  const found = z.array(z.string()).parse(await page.evaluate(PHONE_PROBLEMS));
  return [...found, ...(await nameless(page.locator('input, select, button')))];
}

/** Controls that a screen reader would read out without a name. */
async function nameless(controls: Locator): Promise<string[]> {
  const tree = await Promise.all((await controls.all()).map((each) => each.ariaSnapshot()));
  return tree.filter((line) => line !== '' && !line.includes('"'));
}
