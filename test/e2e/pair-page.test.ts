import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud, type Cloud } from '@placard/cloud';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { cloudApi } from '../../scripts/start/cloud-api.ts';
import { carriedCacheDir, unpackCarriedBrowser } from '../../src/shells/chromium/carried-browser.ts';
import { startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** Two busy cores start a browser, a runtime and a cloud in their own time. */
const PATIENCE_MS = 90_000;
const ADMIN_KEY = 'plk_pair-page-test-admin-key-0123456789';
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

const withKey = z.object({ key: z.string() });
const withId = z.object({ id: z.string() });
const device = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  store_id: z.string().nullable(),
  orientation: z.string(),
});

let folder: string;
let cloud: Cloud;
let browser: Browser;
/** How far the cloud's clock is ahead of this machine's. */
let aheadMs = 0;
const admin = () => cloudApi(cloud.url, ADMIN_KEY);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-pair-page-'));
  cloud = await startCloud({
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
  browser = await chromium.launch({
    executablePath: carried.executable,
    args: ['--no-sandbox', '--headless'],
    env: Object.fromEntries(
      Object.entries({ ...process.env, ...carried.env }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  });
}, PATIENCE_MS);
afterAll(async () => {
  await browser?.close();
  await cloud?.close();
  await rm(folder, { recursive: true, force: true });
});

const newKey = async (scope: string) =>
  (await admin().post(withKey, '/v1/api-keys', { name: `A ${scope} key`, scope })).key;

/** A phone with the page open, which notes every address that it asks for and everything that goes wrong. */
async function openPhone(query = '', colorScheme: 'light' | 'dark' = 'light') {
  const context = await browser.newContext({ ...PHONE, colorScheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${cloud.url}/pair${query}`);
  return { page, context, asked, complaints };
}

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Access key').fill(key);
  await page.getByRole('button', { name: 'Continue' }).tap();
}

const alertOf = (page: Page) => page.getByRole('alert');
/** Waits for the alert to say something with these words. */
const alarmed = (page: Page, words: string | RegExp) => alertOf(page).filter({ hasText: words }).waitFor();
const pairButton = (page: Page) => page.getByRole('button', { name: 'Pair this screen' });
const codeField = (page: Page) => page.getByLabel('Code on the screen');

/** A screen that waits, as a player asks for its code. */
async function waitingScreen(serial: string): Promise<string> {
  const response = await fetch(`${cloud.url}/v1/player/pairing`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ serial, platform: 'linux', player_version: '0.1.0', hostname: `Box ${serial}` }),
  });
  return z.object({ data: z.object({ code: z.string() }) }).parse(await response.json()).data.code;
}

describe('the pairing page on a phone', { timeout: 180_000 }, () => {
  test('pairs a waiting screen: code from the QR code, name, store, orientation, and what the screen says', async () => {
    const store = await admin().post(withId, '/v1/stores', { name: 'Market Square', city: 'Bremen' });
    await admin().post(withId, '/v1/stores', { name: 'Airport' });
    const key = await newKey('Write');
    const data = join(folder, 'player');
    const player = startProgram(
      `src/shells/main.ts --server ${cloud.url} --data ${data} --shell headless`.split(' '),
    );
    onTestFinished(async () => {
      player.signal('SIGTERM');
      const hard = setTimeout(() => player.signal('SIGKILL'), 20_000);
      await player.ended;
      clearTimeout(hard);
    });
    const status = async () =>
      z
        .object({ state: z.string(), code: z.string().nullable(), device_id: z.string().nullable() })
        .parse(JSON.parse(await readFile(join(data, 'status.json'), 'utf8')));
    const code = await until('the screen to show a code', async () => (await status()).code, PATIENCE_MS);

    const { page, asked, complaints } = await openPhone(`?code=${code}`);
    await page.getByText(code).waitFor();
    await giveKey(page, key);
    await pairButton(page).waitFor();
    expect(await codeField(page).inputValue()).toBe(code);
    await page.getByLabel('Name of the screen').fill('Counter left');
    expect(await page.getByLabel('Store').locator('option').allTextContents()).toEqual([
      'No store',
      'Airport',
      'Market Square, Bremen',
    ]);
    await page.getByLabel('Store').selectOption({ label: 'Market Square, Bremen' });
    await page.getByText('Portrait', { exact: true }).tap();
    await pairButton(page).tap();

    await page.getByRole('heading', { name: 'Counter left' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'shows this name now' }).waitFor();
    const paired = await until(
      'the screen to be paired',
      async () => (await status()).device_id,
      PATIENCE_MS,
    );
    expect(await admin().get(device, `/v1/devices/${paired}`)).toMatchObject({
      name: 'Counter left',
      status: 'online',
      store_id: store.id,
      orientation: 'portrait',
    });

    expect(complaints).toEqual([]);
    expect(asked.filter((address) => address.includes(key))).toEqual([]);
    expect(
      asked.filter((address) => address.startsWith('http') && !address.startsWith(`${cloud.url}/`)),
    ).toEqual([]);
    const kept = z
      .object({ session: z.string(), others: z.string() })
      .parse(
        await page.evaluate(
          `({ session: JSON.stringify(sessionStorage), others: JSON.stringify(localStorage) + document.cookie + location })`,
        ),
      );
    expect(kept.session).toContain(key);
    expect(kept.others).not.toContain(key);

    // The next screen of the same visit: the key is not asked for again.
    const next = await waitingScreen('SN-next');
    await page.getByRole('button', { name: 'Pair another screen' }).tap();
    await codeField(page).fill(next.toLowerCase().replace('-', ''));
    expect(await codeField(page).inputValue(), 'written as on the screen').toBe(next);
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-next' }).waitFor();
    await page.reload();
    await pairButton(page).waitFor();
    expect(await page.getByLabel('Access key').isVisible()).toBe(false);
  });

  test('says clearly what is wrong with a key, and asks for another one', async () => {
    const { page, complaints } = await openPhone(`?code=${await waitingScreen('SN-keys')}`);
    await giveKey(page, 'plk_nobody-gave-this-one');
    await alarmed(page, 'not known');
    expect(await page.getByLabel('Access key').getAttribute('aria-invalid')).toBe('true');
    await giveKey(page, 'schlüssel mit leerzeichen');
    await alarmed(page, 'no spaces');
    await giveKey(page, await newKey('Read'));
    await pairButton(page).tap();
    await alarmed(page, 'Write scope');
    await giveKey(page, await newKey('Write'));
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-keys' }).waitFor();
    expect(await alertOf(page).textContent()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('says whether a code is wrong, used or expired, and when too many were wrong', async () => {
    const { page } = await openPhone();
    await giveKey(page, await newKey('Write'));
    const tryCode = async (code: string, words: string) => {
      await codeField(page).fill(code);
      await pairButton(page).tap();
      await alarmed(page, words);
      expect(await codeField(page).getAttribute('aria-invalid')).toBe('true');
    };
    await tryCode('BCD', 'six letters');
    await tryCode('ZZZ-ZZZ', 'No screen shows this code');

    const used = await waitingScreen('SN-used');
    await admin().post(withId, '/v1/devices/pair', { code: used });
    await tryCode(used, 'used already');

    const old = await waitingScreen('SN-old');
    aheadMs += 15 * 60_000;
    await tryCode(old, 'has expired');

    for (const wrong of ['ZZZ-ZZX', 'ZZZ-ZXZ', 'ZZZ-XZZ', 'ZZX-ZZZ', 'ZXZ-ZZZ']) {
      await codeField(page).fill(wrong);
      await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/v1/devices/pair')),
        pairButton(page).tap(),
      ]);
      await pairButton(page).waitFor();
    }
    await codeField(page).fill(await waitingScreen('SN-locked'));
    await pairButton(page).tap();
    await alarmed(page, /cannot pair for \d+ minutes/);
  });

  test('tells when there is no network, and a reply that was lost does not count as a second attempt', async () => {
    const { page, context } = await openPhone(`?code=${await waitingScreen('SN-offline')}`);
    const key = await newKey('Write');
    await context.setOffline(true);
    await giveKey(page, key);
    await alarmed(page, 'cannot be reached');
    await context.setOffline(false);
    await giveKey(page, key);
    await pairButton(page).waitFor();
    expect(await alertOf(page).textContent()).toBe('');

    await page.route('**/v1/devices/pair', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await pairButton(page).tap();
    await alarmed(page, 'cannot be reached');
    await page.unroute('**/v1/devices/pair');
    await pairButton(page).tap();
    await page.getByRole('heading', { name: 'Box SN-offline' }).waitFor();
  });

  test.each(['light', 'dark'] as const)(
    'can be read and touched in the %s: contrast of 7:1, targets of 48 px, nothing wider than the phone',
    async (scheme) => {
      const { page } = await openPhone(`?code=${await waitingScreen(`SN-${scheme}`)}`, scheme);
      const wrong = async () => {
        await page.getByRole('heading', { name: 'Pair a screen' }).waitFor();
        return z.array(z.string()).parse(await page.evaluate(FIND_PROBLEMS));
      };
      await page.getByLabel('Access key').waitFor();
      expect(await wrong(), 'asking for the key').toEqual([]);
      await giveKey(page, 'plk_nobody-gave-this-one');
      await alarmed(page, 'not known');
      expect(await wrong(), 'with an alert').toEqual([]);
      await giveKey(page, await newKey('Write'));
      await pairButton(page).waitFor();
      expect(await wrong(), 'the form').toEqual([]);
      expect(await nameless(page.locator('input, select, button'))).toEqual([]);
      await pairButton(page).tap();
      await page.getByRole('heading', { name: `Box SN-${scheme}` }).waitFor();
      expect(await wrong(), 'paired').toEqual([]);
    },
  );
});

/** Controls that a screen reader would read out without a name. */
async function nameless(controls: Locator): Promise<string[]> {
  const tree = await Promise.all((await controls.all()).map((each) => each.ariaSnapshot()));
  return tree.filter((line) => line !== '' && !line.includes('"'));
}

/** Runs in the page: text that stands out too little, targets that a thumb misses, and what leaves the panel. */
const FIND_PROBLEMS = `(() => {
  const problems = [];
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const judge = (what, colour, ground) => {
    const found = contrast(colour, ground);
    if (found < 7) problems.push('contrast ' + found.toFixed(2) + ': ' + what);
  };
  for (const element of document.querySelectorAll('main *')) {
    if (!element.checkVisibility()) continue;
    const box = element.getBoundingClientRect();
    const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    const control = element.matches('input, select, button');
    // What is chosen is told by its label.
    if (own || (control && !element.matches('[type=radio], [type=checkbox]'))) judge(own || element.id, getComputedStyle(element).color, groundOf(element));
    if (element.placeholder) judge('placeholder', getComputedStyle(element, '::placeholder').color, groundOf(element));
    if (box.left < 0 || box.right > innerWidth) problems.push('leaves the panel: ' + (own || element.outerHTML.slice(0, 60)));
    const target = control ? element.closest('label') ?? element : null;
    const size = target?.getBoundingClientRect();
    if (size && Math.min(size.width, size.height) < 48) problems.push('target of ' + Math.min(size.width, size.height) + ' px: ' + (own || element.id));
    if (control && parseFloat(getComputedStyle(element).fontSize) < 16) problems.push('zooms in: ' + element.id);
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push('scrolls sideways');
  return problems;
})()`;
