import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

const DAY_MS = 86_400_000;
const today = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let rig: ConsoleRig;
/** Ids of a store with a screen, and of two files that it has played. */
let store: { id: string };
let lobby: { id: string };
let files: { id: string }[];

beforeAll(async () => {
  rig = await startConsoleRig();
  store = await rig.admin.stores.create({ name: 'Old town' });
  files = [];
  for (const [name, background] of [
    ['Breakfast', 'orange'],
    ['Lunch', 'teal'],
  ] as const) {
    const create = { width: 64, height: 36, channels: 3, background } as const;
    const file = new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]);
    files.push(await rig.admin.content.upload({ file, name }));
  }
  const pair = async (serial: string, name: string) => {
    const { code, takeToken } = await rig.startPairing(serial);
    const device = await rig.admin.devices.pair({ code, name });
    return { id: device.id, token: await takeToken() };
  };
  const [first, second] = [await pair('SN-A1', 'Lobby'), await pair('SN-A2', 'Window')];
  lobby = first;
  await rig.admin.devices.update(lobby.id, { store_id: store.id });
  await rig.sendHeartbeat(first.token);
  const yesterday = today() - DAY_MS + 3_600_000;
  await rig.sendPlays(first.token, [
    ...[0, 1, 2].map((minute) => ({ content_id: files[0]!.id, at_ms: yesterday + minute * 60_000 })),
    { content_id: files[1]!.id, at_ms: yesterday + 600_000, outcome: 'failed' },
  ]);
  await rig.sendPlays(second.token, [{ content_id: files[1]!.id, at_ms: today() - 20 * DAY_MS }]);
}, TIMEOUT_MS);
afterAll(() => rig.close());

test('plays are shown by content, screen, store and time; a name leads to its plays, and the address keeps all', async () => {
  const { page, complaints } = await rig.openAs('Viewer', '/stores');
  await page.getByRole('link', { name: 'Analytics', exact: true }).click();
  await page
    .getByRole('img', { name: /^4 plays, 1 failed/ })
    .locator('canvas')
    .waitFor();
  const rows = page.getByRole('table').getByRole('row');
  const cells = async (name: string | RegExp) =>
    (await page.getByRole('row', { name }).locator('td').allTextContents()).map((text) => text.trim());
  await page.getByRole('row', { name: /Breakfast/ }).waitFor();
  expect(await cells(/Breakfast/)).toEqual(['3', '30 sec', '0']);
  expect(await cells(/Lunch/)).toEqual(['1', '10 sec', '1']);

  await page.getByRole('button', { name: 'Store', exact: true }).click();
  await page.waitForURL(/by=store/);
  await page.getByRole('row', { name: /Old town/ }).waitFor();
  expect(await cells(/Old town/)).toEqual(['4', '40 sec', '1']);
  await page.getByRole('button', { name: '30 days' }).click();
  await page.waitForURL(/period=month/);
  await page.getByRole('row', { name: /Without a store/ }).waitFor();
  expect(await cells(/Without a store/)).toEqual(['1', '10 sec', '0']);

  await page.getByRole('button', { name: 'Content', exact: true }).click();
  await page.getByRole('link', { name: 'Show plays of Lunch only' }).click();
  await page.waitForURL(new RegExp(`content=${files[1]!.id}`));
  await page.getByRole('row', { name: /Window/ }).waitFor();
  expect(await cells(/Lobby/)).toEqual(['1', '10 sec', '1']);
  // What a colleague sees who gets the address.
  await page.reload();
  await page.getByRole('row', { name: /Window/ }).waitFor();
  await page.getByRole('button', { name: 'Show other plays than those of Content Lunch, too' }).click();
  await page.waitForURL((url) => !url.search.includes('content='));
  await page.getByRole('button', { name: 'Time', exact: true }).click();
  await page.waitForURL(/by=time/);
  await expect.poll(() => rows.count(), { timeout: TIMEOUT_MS }).toBe(31);
  await page.goBack();
  await page.getByRole('heading', { name: 'Plays by: Screen' }).waitFor();
  expect(complaints).toEqual([]);
});

test('days are chosen, in UTC, and a time without plays says what to do', async () => {
  // Midnight in UTC is the day before there.
  const day = dayOf(today() - DAY_MS);
  const { page } = await rig.openAs('Viewer', `/analytics?by=time&from=${day}&to=${day}`, {
    timezoneId: 'America/New_York',
  });
  const hour = page.getByRole('row', { name: /, 1:00 AM/ });
  await hour.waitFor();
  expect(await hour.locator('td').first().textContent()).toBe('4');
  await page.getByLabel('From').fill('2025-01-01');
  await page.waitForURL(/from=2025-01-01/);
  await page.getByLabel('To', { exact: true }).fill('2025-01-03');
  await page.waitForURL(/to=2025-01-03/);
  await page.getByText('Nothing was played in this time.').first().waitFor();
  await page.getByRole('link', { name: 'To the playlists' }).click();
  await page.waitForURL(/\/playlists$/);
});

test('the plays that are shown are downloaded as CSV', async () => {
  const { page } = await rig.openAs('Viewer', `/analytics?period=month&content=${files[1]!.id}`);
  const link = page.getByRole('link', { name: 'Download as CSV' });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toBe('plays.csv');
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toMatch(/^id,device_id,content_id,/);
  expect(lines.slice(1).map((line) => line.split(',')[2])).toEqual([files[1]!.id, files[1]!.id]);
});

test('uptime is shown for each screen, and leads to it', async () => {
  const { page } = await rig.openAs('Viewer', '/analytics');
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Uptime' }) });
  await panel
    .getByRole('listitem')
    .filter({ hasText: 'Window' })
    .getByText(/%|not observed yet/)
    .waitFor();
  await page.getByText('1 of 2').waitFor();
  await panel.getByRole('link', { name: 'Lobby' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lobby' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/devices/${lobby.id}`);
});

test('who is bound to stores chooses one of their screens, and asks for nothing else', async () => {
  const person = await rig.addPerson('Viewer', [store.id]);
  const { page, complaints } = await rig.openAs(person, '/stores');
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) {
      refused.push(new URL(response.url()).pathname);
    }
  });
  await page.goto(`${rig.url}/analytics`);
  await page.getByText('You see the screens of your stores.').waitFor();
  expect(await page.getByRole('main').getByRole('link', { name: 'Window' }).count()).toBe(0);
  await page.getByRole('main').getByRole('link', { name: 'Lobby' }).click();
  await page.getByRole('row', { name: /Breakfast/ }).waitFor();
  expect(refused.filter((path) => path.startsWith('/v1/analytics'))).toEqual([]);
  expect(complaints.filter((each) => !each.includes('403'))).toEqual([]);
});

test('an answer that does not come is said where it belongs, and asked for again', async () => {
  const { page } = await rig.openAs('Viewer', '/stores');
  await page.route('**/v1/analytics/uptime*', (route) =>
    route.fulfill({
      status: 409,
      json: { error: { code: 'CONFLICT', message: 'The reports are busy.' } },
    }),
  );
  await page.goto(`${rig.url}/analytics`);
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Uptime' }) });
  await panel.getByText('The reports are busy.').waitFor();
  await page.getByRole('row', { name: /Breakfast/ }).waitFor();
  await page.unroute('**/v1/analytics/uptime*');
  await panel.getByRole('button', { name: 'Try again' }).click();
  await panel.getByRole('link', { name: 'Lobby' }).waitFor();
  expect(await panel.getByRole('alert').count()).toBe(0);
});

test('the page is accessible, and as wide as a phone', async () => {
  const { page } = await rig.openAs('Admin', '/stores', { viewport: { width: 390, height: 844 } });
  for (const look of looks(1)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/analytics`);
    await page.locator('h1').waitFor();
    for (const query of ['', '?by=time&period=day', '?from=2025-01-01&to=2025-01-02']) {
      await moveTo(page, '/stores', 'h1');
      await moveTo(page, `/analytics${query}`, 'dl');
      await page.locator('dl dd').filter({ hasText: '…' }).first().waitFor({ state: 'detached' });
      expect(await findAccessibilityProblems(page), `${look.language} ${query}`).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), query).toBe(390);
    }
  }
});
