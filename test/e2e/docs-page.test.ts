import { operations, webhookEvent } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPairRig, TIMEOUT_MS } from './pair-rig.ts';
import type { PairRig, PhoneOptions } from './pair-rig.ts';

let rig: PairRig;
beforeAll(async () => {
  rig = await startPairRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

const DESKTOP: PhoneOptions = { viewport: { width: 1280, height: 800 } };

/** The page once it shows the API, with all that it asked for and complained about. */
async function openDocs(options: PhoneOptions = {}, part = '') {
  const { page, asked, complaints } = await rig.openPhone('', options);
  asked.length = 0;
  page.on('console', (message) => {
    // The pairing page, which was open before, asks who is signed in.
    if (message.type() === 'error' && !message.text().includes('401')) {
      complaints.push(message.text());
    }
  });
  await page.goto(`${rig.url}/docs${part}`);
  await page.getByRole('heading', { name: 'Placard Digital Signage API' }).waitFor();
  return { page, asked, complaints };
}

test('the docs page lists every operation and notification, and the socket, from this cloud alone', async () => {
  const { page, asked, complaints } = await openDocs(DESKTOP);
  const sidebar = page.locator('aside');
  const closed = sidebar.locator('[aria-expanded=false]');
  /** All links of the sidebar, as far as it is there: what is closed is opened before. */
  const links = async () => {
    while ((await closed.count()) > 0) {
      await closed.first().click();
    }
    return sidebar
      .locator('a[href]')
      .evaluateAll((found) => found.map((link) => decodeURIComponent(link.getAttribute('href') ?? '')));
  };
  const listed = async () =>
    (await links()).map((link) => /\/([A-Z]+\/v1\/.*)$/.exec(link)?.[1]).filter((each) => each !== undefined);
  const expected = Object.values(operations).map(({ method, path }) => `${method}${path}`);
  await expect.poll(async () => new Set(await listed())).toEqual(new Set(expected));
  const shown = () => page.locator('body').innerText();
  for (const name of ['Socket of screens', '/v1/player/socket', 'Content host', '/cdn/{sha256}.{ending}']) {
    await expect.poll(shown).toContain(name);
  }
  const notifications = async () =>
    (await links())
      .filter((link) => link.startsWith('#webhook/') && link.includes('.'))
      .map((link) => link.split('/').at(-1));
  await expect.poll(async () => new Set(await notifications())).toEqual(new Set(webhookEvent.options));
  expect(
    asked.filter((request) => !request.startsWith(`GET ${rig.url}/`) && !request.includes(' data:')),
  ).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a request is tried with a key, which the page forgets, and shown as code', async () => {
  const { page, complaints } = await openDocs(DESKTOP, '#tag/stores/GET/v1/stores');
  const { key } = await rig.createKey('Read');
  await page.getByPlaceholder('Token').first().fill(key);
  const operation = page.locator('section[id$="tag/stores/GET/v1/stores"]');
  await expect.poll(() => operation.innerText()).toContain(`curl ${rig.url}/v1/stores`);
  await operation.getByRole('button', { name: /Test Request/ }).click();
  const answered = page.waitForResponse((response) => response.url().startsWith(`${rig.url}/v1/stores`));
  await page.getByRole('button', { name: /^Send get request/ }).click();
  const response = await answered;
  expect([response.status(), response.url()]).toEqual([200, `${rig.url}/v1/stores`]);
  await page.getByText('200 OK').waitFor();
  const kept = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
  expect(kept).not.toContain(key);
  expect(complaints).toEqual([]);
});

test('the docs page is no wider than a phone', async () => {
  const { page } = await openDocs();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
});
