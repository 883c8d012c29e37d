import type { Locator } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findAccessibilityProblems } from './console-looks.ts';
import { startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

/** What exists in another store has this in its name. */
const ELSEWHERE = 'Harbour';

type Person = Awaited<ReturnType<ConsoleRig['addPerson']>>;

let rig: ConsoleRig;
let editor: Person;
let ids: Record<'own' | 'other' | 'screen' | 'file' | 'shared' | 'mine' | 'schedule', string>;

beforeAll(async () => {
  rig = await startConsoleRig();
  const { admin } = rig;
  const own = await admin.stores.create({ name: 'Old town' });
  const other = await admin.stores.create({ name: ELSEWHERE });
  const pair = async (name: string, storeId: string, tags: string[]) => {
    const { code, takeToken } = await rig.startPairing(`SN-${name}`);
    const { id } = await admin.devices.pair({ code, name, store_id: storeId, tags });
    await rig.sendHeartbeat(await takeToken());
    return id;
  };
  const screen = await pair('Till', own.id, ['counter']);
  await pair(`${ELSEWHERE} screen`, other.id, ['counter', ELSEWHERE]);
  const create = { width: 64, height: 36, channels: 3, background: 'orange' } as const;
  const bytes = new Uint8Array(await sharp({ create }).png().toBuffer());
  const file = await admin.content.upload({ file: new Blob([bytes]), name: 'Soup' });
  const items = [{ content_id: file.id }];
  const shared = await admin.playlists.create({ name: 'For everybody', items });
  await admin.playlists.deploy(shared.id, { targets: [{ type: 'all' }] });
  const mine = await admin.playlists.create({ name: 'For the old town', items });
  const lunch = { playlist_id: shared.id, start_time: '11:30', end_time: '14:30', days: ['MON' as const] };
  const schedule = await admin.schedules.create({
    name: 'Lunch',
    rules: [lunch],
    targets: [
      { type: 'store', id: own.id },
      { type: 'store', id: other.id },
      { type: 'tag', value: ELSEWHERE },
    ],
  });
  await admin.schedules.create({
    name: `${ELSEWHERE} night`,
    rules: [lunch],
    targets: [{ type: 'store', id: other.id }],
  });
  ids = {
    own: own.id,
    other: other.id,
    screen,
    file: file.id,
    shared: shared.id,
    mine: mine.id,
    schedule: schedule.id,
  };
  editor = await rig.addPerson('Editor', [own.id]);
}, TIMEOUT_MS);
afterAll(() => rig.close());

const isWatched = (url: string) => /\/v1\/(?!events)/.test(url);

/** Opens the page, and tells which requests the API refuses, and when it has answered all of them. */
async function openWatched(path: string) {
  const { page, complaints } = await rig.openAs(editor, '/sign-in');
  const refused: string[] = [];
  const open = new Set<unknown>();
  const watchers = {
    request: (request: { url(): string }) => void (isWatched(request.url()) && open.add(request)),
    requestfailed: (request: unknown) => void open.delete(request),
    requestfinished: (request: unknown) => void open.delete(request),
    response: (response: { status(): number; url(): string }) => {
      if (response.status() >= 400) {
        refused.push(`${response.status()} ${response.url()}`);
      }
    },
  };
  page.on('request', watchers.request);
  page.on('requestfailed', watchers.requestfailed);
  page.on('requestfinished', watchers.requestfinished);
  page.on('response', watchers.response);
  onTestFinished(() => {
    page.off('request', watchers.request);
    page.off('requestfailed', watchers.requestfailed);
    page.off('requestfinished', watchers.requestfinished);
    page.off('response', watchers.response);
  });
  await page.goto(`${rig.url}${path}`);
  return {
    page,
    refused,
    /** Everything is read, and nothing went wrong. */
    expectWell: async (where: string): Promise<void> => {
      await page.locator('h1').first().waitFor();
      await expect.poll(() => open.size, { timeout: TIMEOUT_MS, message: where }).toBe(0);
      expect(await page.locator('[role=alert]').allTextContents(), where).toEqual([]);
      expect(refused, where).toEqual([]);
      expect(complaints, where).toEqual([]);
      expect(await page.locator('body').innerText(), where).not.toContain(ELSEWHERE);
    },
  };
}

const choicesOf = (where: Locator, label: string) =>
  where.getByLabel(label, { exact: true }).locator('option').allTextContents();

test('an Editor of one store walks through all areas: nothing is refused, and no other store is named', async () => {
  const { page, refused, expectWell } = await openWatched('/devices');
  await page.getByRole('row', { name: /Till/ }).getByText('For everybody').waitFor();
  await expectWell('/devices');
  const paths = [
    '/devices?view=tiles',
    '/devices?status=online',
    `/devices/${ids.screen}`,
    '/content',
    `/content?file=${ids.file}`,
    '/playlists',
    `/playlists/${ids.shared}`,
    `/playlists/${ids.mine}`,
    '/schedules',
    '/schedules?at=2026-11-30T12:00',
    `/schedules/${ids.schedule}`,
    '/stores',
    `/stores?edit=${ids.own}`,
    '/alerts',
    '/alerts/rules?edit=new',
    '/devices/rollouts?create=yes',
    '/devices/rollouts/rollout_none',
    '/analytics',
    `/analytics?device=${ids.screen}`,
    ...['account', 'people', 'organization', 'about'].map((each) => `/settings/${each}`),
  ];
  for (const path of paths) {
    await page.goto(`${rig.url}${path}`);
    await expectWell(path);
  }
  expect(refused).toEqual([]);
});

test('they pair a screen into their store, and see what it shows', async () => {
  const { page, expectWell } = await openWatched('/devices');
  const { code } = await rig.startPairing('SN-New');
  await page.getByRole('button', { name: 'Pair a screen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Code on the screen').fill(code);
  await dialog.getByLabel('Name of the screen').fill('Window');
  await expect
    .poll(() => choicesOf(dialog, 'Store'), { message: 'the only one is chosen' })
    .toEqual(['Old town']);
  await dialog.getByLabel('Orientation').selectOption('Portrait');
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Pair', exact: true }).click();
  await dialog.getByRole('link', { name: 'Window' }).waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('row', { name: /Window/ })
    .getByText('For everybody')
    .waitFor();
  await expectWell('paired');
  const [device] = await rig.admin.devices.list({ search: 'Window' }).toArray();
  expect(device).toMatchObject({ store_id: ids.own, orientation: 'portrait' });
  // By the phone as well.
  const second = await rig.startPairing('SN-Phone');
  await page.goto(`${rig.url}/pair?code=${second.code}`);
  await page.locator('#pair-form').waitFor();
  expect(await page.locator('#store option').allTextContents()).toEqual(['Old town']);
  await page.locator('#pair').click();
  await page.locator('#done').waitFor();
});

test('they deploy to their store, and change what no other store shows', async () => {
  const { page, expectWell } = await openWatched(`/playlists/${ids.mine}`);
  await page.getByLabel('Name', { exact: true }).fill('Of the old town');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Of the old town' }).waitFor();
  await page.getByRole('button', { name: 'Deploy' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => choicesOf(dialog, 'Which screens')).toEqual(['A store', 'Chosen screens']);
  await dialog.getByText(/Screens that change what they show: \d/).waitFor();
  await dialog.getByRole('button', { name: 'Deploy' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Till' }).waitFor();
  await expectWell('deployed');
  await page.goto(`${rig.url}/devices`);
  await page.getByRole('row', { name: /Till/ }).getByText('Of the old town').waitFor();
});

test('what concerns other stores is not offered, and the page says why', async () => {
  const { page, expectWell } = await openWatched('/devices?status=online');
  await page.getByRole('row', { name: /Till/ }).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Act on/ }).count()).toBe(0);
  await page.goto(`${rig.url}/devices/${ids.screen}`);
  await page.getByLabel('Store').waitFor();
  await expect.poll(() => choicesOf(page.locator('main'), 'Store')).toEqual(['Old town']);

  const why = page.getByText('You work for some stores');
  await page.goto(`${rig.url}/alerts/rules`);
  await why.waitFor();
  await page.goto(`${rig.url}/content?file=${ids.file}`);
  await why.waitFor();
  expect(await page.getByRole('dialog').getByLabel('Name').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'New folder' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Replace/ }).count()).toBe(0);

  await page.goto(`${rig.url}/playlists/${ids.shared}`);
  await why.waitFor();
  expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Add content' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Deploy' }).count(), 'to their store').toBe(1);

  await page.goto(`${rig.url}/schedules?create=yes`);
  await why.waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'Lunch' });
  await row.getByText('store “Old town”').waitFor();
  expect(await row.getByRole('switch').isDisabled()).toBe(true);
  await page.goto(`${rig.url}/schedules/${ids.schedule}`);
  await why.waitFor();
  expect(await page.getByRole('button', { name: /Add (a rule|screens)|Save/ }).count()).toBe(0);

  await page.goto(`${rig.url}/stores?edit=new`);
  await page.getByRole('listitem').filter({ hasText: 'Old town' }).waitFor();
  expect(await page.getByRole('button', { name: 'Add a store' }).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Old town', exact: true }).click();
  await page.getByLabel('City').fill('Bremen');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Bremen').waitFor();
  await expectWell('a store of theirs');
});

test('who is bound to a store that was deleted is offered nothing that would be refused', async () => {
  const closed = await rig.admin.stores.create({ name: 'Closed' });
  const before = editor;
  editor = await rig.addPerson('Editor', [closed.id]);
  onTestFinished(() => void (editor = before));
  await rig.admin.stores.delete(closed.id);
  const { page, expectWell } = await openWatched('/devices?pair=yes');
  await page.getByText('0 devices').waitFor();
  expect(await page.getByRole('button', { name: 'Pair a screen' }).count()).toBe(0);
  for (const path of ['/devices', '/schedules', '/stores', '/alerts', '/analytics']) {
    await page.goto(`${rig.url}${path}`);
    await expectWell(path);
  }
});
