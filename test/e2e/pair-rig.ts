import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud } from '@placard/cloud';
import { chromium } from 'playwright';
import type { Locator, Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { putEmptyDatabase } from '../../packages/cloud/test/support/empty-database.ts';
import { createCloudApi } from '../../scripts/start/cloud-api.ts';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import { PHONE_PROBLEMS } from './phone-problems.ts';

/** Starting a browser, a runtime and a cloud takes long on two busy cores. */
export const TIMEOUT_MS = 90_000;
const ADMIN_KEY = 'plk_pair-page-test-admin-key-0123456789';
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

export const withId = z.object({ id: z.string() });
const withIdAndKey = withId.extend({ key: z.string() });

export interface PhoneOptions {
  /** Language of the browser, BCP 47. */
  locale?: string;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** A script that runs in the page before all others. */
  before?: string;
}

/** A cloud, and phones that open its pairing page. */
export async function startPairRig() {
  const folder = await mkdtemp(join(tmpdir(), 'placard-pair-page-'));
  const dataDir = join(folder, 'cloud');
  await mkdir(dataDir);
  await putEmptyDatabase(dataDir);
  /** How far the cloud's clock is ahead of this machine's. */
  let aheadMs = 0;
  const cloud = await startCloud({
    host: '127.0.0.1',
    port: 0,
    dataDir,
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
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const browser = await chromium.launch({
    executablePath: bundled.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...bundled.env },
  });
  const admin = createCloudApi(cloud.url, ADMIN_KEY);

  return {
    folder,
    url: cloud.url,
    admin,
    advanceTime(ms: number): void {
      aheadMs += ms;
    },
    createKey: (scope: string) => admin.post(withIdAndKey, '/v1/api-keys', { name: `A ${scope} key`, scope }),

    /** A phone with the page open; records every request and every error. */
    async openPhone(query = '', { before, ...options }: PhoneOptions = {}) {
      const context = await browser.newContext({ ...PHONE, locale: 'en-US', ...options });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      if (before !== undefined) {
        await page.addInitScript(before);
      }
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) =>
        asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
      );
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${cloud.url}/pair${query}`);
      return { page, context, asked, complaints };
    },

    /** Starts a pairing session as a player does; returns its code. */
    async startPairing(serial: string): Promise<string> {
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

    async close(): Promise<void> {
      await browser.close();
      await cloud.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type PairRig = Awaited<ReturnType<typeof startPairRig>>;

/** Controls of the page, independent of the language. */
export const keyField = (page: Page): Locator => page.locator('#key');
export const codeField = (page: Page): Locator => page.locator('#code');
export const nameField = (page: Page): Locator => page.locator('#name');
export const pairButton = (page: Page): Locator => page.locator('#pair');
export const alert = (page: Page): Locator => page.getByRole('alert');

export async function enterKey(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  await page.locator('#enter').tap();
}

/** Waits until the alert contains this text. */
export const waitForAlert = (page: Page, words: string | RegExp): Promise<void> =>
  alert(page).filter({ hasText: words }).waitFor();

/** Accessibility problems of the page in its current state. */
export async function findProblems(page: Page): Promise<string[]> {
  const found = z.array(z.string()).parse(await page.evaluate(PHONE_PROBLEMS));
  return [...found, ...(await findUnnamedControls(page.locator('input, select, button')))];
}

/** Controls without an accessible name. */
async function findUnnamedControls(controls: Locator): Promise<string[]> {
  const tree = await Promise.all((await controls.all()).map((each) => each.ariaSnapshot()));
  return tree.filter((line) => line !== '' && !line.includes('"'));
}
