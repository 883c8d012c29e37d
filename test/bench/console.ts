/**
 * The list of devices of the console in the Chromium that npm brings, beside a cloud with ten thousand devices:
 * `npm run bench:console`. Times are taken inside the page, until the frame after the change.
 */
import { createClient } from '@placard/client';
import { chromium } from 'playwright';
import type { Browser, Page } from 'playwright';
import { z } from 'zod';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import type { Db } from '../../packages/cloud/src/database/db.ts';
import { startFleet } from './cloud/fleet.ts';
import type { Fleet } from './cloud/fleet.ts';
import type { Figure } from './figures.ts';
import { median } from './median.ts';
import type { Settings } from './settings.ts';

const DEVICES = 10_000;
const ROUNDS = 9;
const SCROLL_MS = 4_000;
/** What takes longer is a fault. */
const LONGEST_MS = 30_000;
/** Pixels of one frame while scrolling: three rows. */
const SCROLL_STEP_PX = 120;
const SIZE = { width: 1440, height: 900 };
const FIRST_ROW = '[data-index="0"] a';
const milliseconds = z.number();

export async function measureConsole(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES), setOffline);
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const browser = await chromium.launch({
    executablePath: bundled.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...bundled.env },
  });
  try {
    return await measureList(fleet, browser, settings);
  } finally {
    await browser.close();
    await fleet.stop();
  }
}

/** Those that are to come online are not there at the start. */
async function setOffline(db: Db, devices: Fleet['devices']): Promise<void> {
  for (const { id } of devices.slice(0, ROUNDS)) {
    await db
      .updateTable('devices')
      .set({ status: 'offline', told_status: 'offline' })
      .where('id', '=', id)
      .execute();
  }
}

async function measureList(fleet: Fleet, browser: Browser, settings: Settings): Promise<Figure[]> {
  const page = await signIn(fleet, browser);
  const rounds = Array.from({ length: settings.rounds(ROUNDS) }, (_, round) => round % ROUNDS);
  const cached: number[] = [];
  const empty: number[] = [];
  const devtools = await page.context().newCDPSession(page);
  // The first round warms the cloud and the cache.
  await openList(page, fleet);
  for (const _ of rounds) {
    cached.push(await openList(page, fleet));
    await devtools.send('Network.clearBrowserCache');
    empty.push(await openList(page, fleet));
  }
  const searches: number[] = [];
  for (const round of rounds) {
    searches.push(await search(page, round + 1));
  }
  await openList(page, fleet);
  const worstFrame = await scroll(page, settings.msOf(SCROLL_MS));
  const changes: number[] = [];
  for (const round of rounds) {
    changes.push(await comeOnline(page, fleet, round));
  }
  return [
    figure('console, navigation to first rows, files cached', cached, 300),
    figure('… with an empty cache', empty, 300),
    figure('console, last key of a search to its rows', searches, 100),
    figure('console, longest frame while scrolling', [worstFrame], 50),
    figure('console, heartbeat sent to "online" on the page', changes, 1_000),
  ];
}

const figure = (name: string, values: number[], goal: number): Figure => ({
  name,
  ours: median(values),
  unit: 'ms',
  limit: null,
  goal,
  detail: `worst ${Math.max(...values).toFixed(0)}`,
});

async function signIn({ cloud, adminKey }: Fleet, browser: Browser): Promise<Page> {
  const admin = createClient({ server: cloud.url, apiKey: adminKey });
  const { url } = await admin.people.createInvitation({ role: 'Viewer', email: 'bench@example.com' });
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`${cloud.url}${new URL(url).pathname}${new URL(url).search}${new URL(url).hash}`);
  await page.locator('input[name=name]').fill('Bench');
  await page.locator('input[name=password]').fill('correct horse battery staple');
  await page.locator('button[type=submit]').click();
  await page.locator(FIRST_ROW).waitFor();
  return page;
}

/** Loads the page anew; from the start of the navigation to the frame with the first row. */
async function openList(page: Page, { cloud }: Fleet): Promise<number> {
  await page.goto(`${cloud.url}/devices`, { waitUntil: 'commit' });
  return milliseconds.parse(await page.evaluate(whenShown(`document.querySelector('${FIRST_ROW}')`)));
}

/** From the last key of a text that no search before had to the frame in which every row that is in view has it. */
async function search(page: Page, digit: number): Promise<number> {
  const field = page.locator('input[type=search]').first();
  await field.fill('Screen 1');
  await page.waitForURL(/search=Screen/);
  await page.locator(FIRST_ROW).filter({ hasText: 'Screen 1' }).waitFor();
  const text = `Screen 1${digit}`;
  await page.evaluate(`addEventListener('keydown', ({ timeStamp }) => (window.keyMs = timeStamp), true)`);
  await field.press('End');
  await field.press(String(digit));
  const shownMs = milliseconds.parse(
    await page.evaluate(
      whenShown(`[...document.querySelectorAll('[data-index] a')].length > 0 &&
        [...document.querySelectorAll('[data-index] a')].every((row) => row.textContent.includes('${text}'))`),
    ),
  );
  return shownMs - milliseconds.parse(await page.evaluate('window.keyMs'));
}

/** The longest time between two frames, while the page scrolls a step in each; from when all of it has been there for 200 ms. */
async function scroll(page: Page, ms: number): Promise<number> {
  await page.evaluate(
    whenShown(
      `performance.now() - Math.max(...performance.getEntriesByType('resource').map((each) => each.responseEnd)) > 200`,
    ),
  );
  return milliseconds.parse(
    await page.evaluate(`new Promise((resolve) => {
      const startMs = performance.now();
      let beforeMs = 0;
      let longestMs = 0;
      const step = (nowMs) => {
        longestMs = beforeMs === 0 ? 0 : Math.max(longestMs, nowMs - beforeMs);
        beforeMs = nowMs;
        if (nowMs - startMs > ${ms}) return resolve(longestMs);
        scrollBy(0, ${SCROLL_STEP_PX});
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    })`),
  );
}

/** From the request of a device that was offline to the frame that shows it online. */
async function comeOnline(page: Page, { cloud, devices }: Fleet, round: number): Promise<number> {
  const name = `Screen ${round}`;
  await page.goto(`${cloud.url}/devices?search=${encodeURIComponent(name)}&status=offline`);
  const row = page.locator('[data-index]').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row.waitFor();
  const sentMs = Date.now();
  const response = await fetch(`${cloud.url}/v1/player/heartbeats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${devices[round]!.token}` },
    body: JSON.stringify(HEARTBEAT),
  });
  if (!response.ok) {
    throw new Error(`a heartbeat is refused: ${response.status} ${await response.text()}`);
  }
  // It leaves the list of those that are offline.
  const shownMs = milliseconds.parse(
    await page.evaluate(
      `${whenShown(`![...document.querySelectorAll('[data-index] a')].some((row) => row.textContent === '${name}')`)}.then((ms) => performance.timeOrigin + ms)`,
    ),
  );
  return shownMs - sentMs;
}

/** A script that resolves, with milliseconds since the page began, after the frame in which the condition has come true. */
const whenShown = (condition: string) => `new Promise((resolve, reject) => {
  const startMs = performance.now();
  const check = () => {
    if (${condition}) {
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    } else if (performance.now() - startMs > ${LONGEST_MS}) {
      reject(new Error('this was not shown within ${LONGEST_MS} ms: ' + ${JSON.stringify(condition)}));
    } else {
      requestAnimationFrame(check);
    }
  };
  check();
})`;

const HEARTBEAT = {
  samples: [],
  state: {
    player_version: '0.1.0',
    shell: 'headless',
    uptime_seconds: 60,
    applied_manifest_revision: null,
    current: null,
    storage: { cache_bytes: 0, free_bytes: 1_000_000, assets_held: 0, assets_missing: 0 },
    faults: [],
  },
};
