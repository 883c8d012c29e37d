import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let scheduleId: string;
let deviceId: string;
beforeAll(async () => {
  rig = await startConsoleRig();
  const { code } = await rig.startPairing('SN-C1');
  deviceId = (await rig.admin.devices.pair({ code, name: 'Counter' })).id;
  await rig.admin.playlists.create({ name: 'Lunch', mode: 'sequential', items: [] });
}, TIMEOUT_MS);
afterAll(() => rig.close());
beforeEach(async () => {
  scheduleId = (await rig.admin.schedules.create({ name: 'Daily', targets: [{ type: 'all' }] })).id;
});

const open = async (role: 'Viewer' | 'Editor' | 'Admin') => {
  const opened = await rig.openAs(role, `/schedules/${scheduleId}?week=2026-11-23`);
  await opened.page.getByRole('heading', { name: 'Daily' }).waitFor();
  return opened;
};
const rulesOf = async () => (await rig.admin.schedules.get(scheduleId)).rules;
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
};

/** A point of an element; parts of its width and height. */
type Place = readonly [Locator, number, number];

async function pointOf([locator, x, y]: Place) {
  const box = (await locator.boundingBox())!;
  return [box.x + box.width * x, box.y + box.height * y] as const;
}

/** Drags with the mouse. */
async function drag(page: Page, from: Place, to: Place) {
  await page.mouse.move(...(await pointOf(from)));
  await page.mouse.down();
  await page.mouse.move(...(await pointOf(to)), { steps: 4 });
  await page.mouse.up();
}

test('a rule is drawn, moved by pointer and keyboard, and saved after it is said which screens change', async () => {
  const { page, complaints } = await open('Editor');
  const grid = page.getByRole('region', { name: 'Week' }).locator('.cursor-crosshair');
  await drag(page, [grid, 2.5 / 7, 9 / 24], [grid, 2.5 / 7, 11 / 24]);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('every Wednesday, 09:00–11:00').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });

  const block = page.getByRole('button', { name: /^Lunch, / });
  await drag(page, [block, 0.5, 0.5], [grid, 3.5 / 7, 11 / 24]);
  await page.getByRole('button', { name: 'Lunch, every Thursday, 10:00–12:00' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Lunch, every Friday, 10:15–12:30' }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.reload();
  await page.getByText(/Unsaved changes from .* restored/).waitFor();
  await page.getByText('1 screen shows something else in the next 7 days').waitFor();
  expect(await rulesOf()).toEqual([]);
  await save(page);
  expect(await rulesOf()).toMatchObject([{ days: ['FRI'], start_time: '10:15', end_time: '12:30' }]);
  expect(complaints).toEqual([]);
});

test('what the API refuses is said at the field in its sentence, and warnings at their rule', async () => {
  const { page } = await open('Editor');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Repeats').selectOption('rrule');
  await dialog.getByText(/That is:.*every second Monday/).waitFor();
  await dialog.getByLabel('Recurrence (RRULE)').fill('FREQ=HOURLY');
  await dialog.getByText('FREQ=HOURLY is not supported').first().waitFor();
  await dialog.getByLabel('Recurrence (RRULE)').fill('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30');
  await dialog.getByText('It does not occur within a year.').waitFor();
  await expect.poll(() => dialog.getByText(/▲|never/).count()).toBeGreaterThan(0);
});

test('where rules overlap, the calendar says which one wins', async () => {
  const playlist = (await rig.admin.playlists.list().toArray())[0]!.id;
  const rule = { playlist_id: playlist, days: ['MON' as const], start_time: '09:00', end_time: '12:00' };
  await rig.admin.schedules.update(scheduleId, {
    rules: [rule, { ...rule, start_time: '10:00', end_time: '11:00', priority: 5 }],
  });
  const { page } = await open('Viewer');
  await page.getByRole('button', { name: /09:00–12:00, another rule wins for a part/ }).waitFor();
  expect(await page.getByRole('button', { name: /Add a rule|Save|Delete|Add screens/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Week after' }).click();
  await page.waitForURL(/week=2026-11-30/);
});

test('the week also shows what other schedules have for the same screens', async () => {
  const [lunch] = await rig.admin.playlists.list({ search: 'Lunch' }).toArray();
  const rules = [{ playlist_id: lunch!.id, days: ['TUE' as const], start_time: '12:00', end_time: '14:00' }];
  const other = (name: string, tag: string, is_active = true) =>
    rig.admin.schedules.create({ name, is_active, targets: [{ type: 'tag', value: tag }], rules });
  await rig.admin.schedules.update(scheduleId, { targets: [{ type: 'tag', value: 'window' }] });
  await other('Same tag', 'window');
  await other('Inactive', 'window', false);
  await other('Another tag', 'counter');
  const { page } = await open('Viewer');
  await page.getByText('Other schedules for the same screens').waitFor();
  expect(await page.getByRole('link', { name: /Inactive|Another tag/ }).count()).toBe(0);
  const week = page.getByRole('region', { name: 'Week' });
  await week.locator('[title^="Same tag"]').getByText('Lunch').waitFor();
  await page.getByRole('link', { name: 'Same tag' }).click();
  await page.getByRole('heading', { name: 'Same tag' }).waitFor();
  await page.waitForURL(/week=2026-11-23/);
});

test('what somebody else has changed meanwhile is not overwritten', async () => {
  const { page } = await open('Editor');
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  await rig.admin.schedules.update(scheduleId, { name: 'Theirs' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Somebody else has changed this').waitFor();
  await page.getByText('Theirs', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await save(page);
  expect((await rig.admin.schedules.get(scheduleId)).name).toBe('Mine');
});

test('the list has a switch for each schedule, and says what shows at a time', async () => {
  await rig.admin.schedules.update(scheduleId, {
    name: 'Switched',
    targets: [{ type: 'device', id: deviceId }],
  });
  const { page } = await rig.openAs('Editor', '/schedules?at=2026-12-24T18:00');
  const row = page.getByRole('listitem').filter({ hasText: 'Switched' });
  await row.getByText('screen “Counter”').waitFor();
  const isActive = async () => (await rig.admin.schedules.get(scheduleId)).is_active;
  await untilStored(page, 'POST', `/v1/schedules/${scheduleId}/deactivate`, () =>
    row.getByRole('switch').click(),
  );
  expect(await isActive()).toBe(false);
  await page.getByRole('listitem').filter({ hasText: 'idle screen' }).first().waitFor();
  await untilStored(page, 'POST', `/v1/schedules/${scheduleId}/activate`, () =>
    page.getByRole('button', { name: 'Undo' }).click(),
  );
  expect(await isActive()).toBe(true);
});

test('the pages are accessible', async () => {
  const { page } = await open('Admin');
  for (const look of looks(3)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/stores`);
    await page.locator('h1').waitFor();
    for (const path of ['/schedules', `/schedules/${scheduleId}`]) {
      await moveTo(page, path, 'h1');
      expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
    }
    await page.locator('.cursor-crosshair').click({ position: { x: 60, y: 100 } });
    await page.getByRole('dialog').waitFor();
    expect(await findAccessibilityProblems(page), `${look.language} rule`).toEqual([]);
  }
});
