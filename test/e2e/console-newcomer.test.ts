import { resolve } from 'node:path';
import { chromium } from 'playwright';
import type { Browser, Locator } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import { createCloudAndPlayer } from '../support/cloud-and-player.ts';
import type { CloudAndPlayer } from '../support/cloud-and-player.ts';
import { waitUntil } from '../support/wait-until.ts';
import { PASSWORD } from './console-rig.ts';

const MOST_CLICKS = 12;
const LONGEST_MS = 3 * 60_000;

let system: CloudAndPlayer;
let browser: Browser;
let signUp: string;
beforeAll(async () => {
  system = await createCloudAndPlayer();
  const cloud = await system.startCloud();
  signUp = await waitUntil(
    'the link of the first Admin',
    () => /Sign up\s+(\S+)/.exec(cloud.output().stdout)?.[1],
  );
  system.startPlayer();
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  browser = await chromium.launch({
    executablePath: bundled.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...bundled.env },
  });
}, 90_000);
afterAll(async () => {
  await browser.close();
  await system.close();
});

test(
  'a newcomer has an own picture on a paired screen with at most 12 clicks, within 3 minutes',
  async () => {
    const { code } = await waitUntil(
      'a pairing code on the screen',
      async () => {
        const status = await system.readStatus();
        return status.code ? status : null;
      },
      60_000,
    );
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const startedAtMs = Date.now();

    await page.goto(signUp);
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await click(button('Create the account'));

    await click(button('Pair a screen'));
    await page.getByLabel('Code on the screen').fill(code ?? '');
    await page.getByLabel('Name of the screen').fill('Shop window');
    await click(button('Pair'));
    await page.getByText('“Shop window” is paired').waitFor();
    await click(button('Close'));

    await click(page.getByRole('link', { name: 'Content', exact: true }));
    const choosing = page.waitForEvent('filechooser');
    await click(button('Upload files'));
    // Choosing the file in the dialog of the system is a click, too.
    clicks += 1;
    await (await choosing).setFiles(resolve('test/media/sample-morning-1920x1080.jpg'));
    await click(button('Make a playlist of these'));
    await click(button('Deploy'));
    await page.getByRole('dialog').getByText('Screens that change what they show: 1').waitFor();
    await click(page.getByRole('dialog').getByRole('button', { name: 'Deploy' }));

    // The console says so only when the screen has said so.
    await page.getByText('Showing on 1 of 1 screens').waitFor({ timeout: LONGEST_MS });
    const elapsedMs = Date.now() - startedAtMs;
    expect((await system.readStatus()).now_playing).not.toBeNull();
    await waitUntil('it on the screen', async () => (await system.readSnapshotStats()).spread > 20);
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(elapsedMs).toBeLessThanOrEqual(LONGEST_MS);
  },
  LONGEST_MS + 60_000,
);
