import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

test('an Editor creates a store and changes it; what others change meanwhile is not overwritten', async () => {
  const { page, complaints } = await rig.openAs('Editor', '/stores');
  await page.getByRole('heading', { name: 'No store yet' }).waitFor();
  await page.getByRole('button', { name: 'Add a store' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Old town');
  await page.getByLabel('Time zone').fill('Nowhere/Land');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be an IANA time zone such as Europe/Berlin').first().waitFor();
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'Old town' });
  await row.getByText('Europe/Berlin').waitFor();

  await page.getByRole('button', { name: 'Old town', exact: true }).click();
  await page.getByLabel('City').fill('Bremen');
  await page.reload();
  await page.getByText(/Unsaved changes from .* restored/).waitFor();
  expect(await page.getByLabel('City').inputValue()).toBe('Bremen');
  const [store] = await rig.admin.stores.list().toArray();
  await rig.admin.stores.update(store!.id, { contact: 'Ada' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this').waitFor();
  expect(await page.getByLabel('City').inputValue()).toBe('Bremen');
  await page.getByText(/Old town · Ada/).waitFor();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Bremen').waitFor();

  await page.getByRole('button', { name: 'Old town', exact: true }).click();
  await page.getByLabel('City').fill('Hamburg');
  await rig.admin.stores.update(store!.id, { city: 'Kiel' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Kiel');
  expect(complaints.filter((each) => !/40[0]|412/.test(each))).toEqual([]);
});

test('deleting a store says which screens and schedules use it', async () => {
  const store = await rig.admin.stores.create({ name: 'To close' });
  const { code } = await rig.startPairing('SN-S1');
  const device = await rig.admin.devices.pair({ code, name: 'Till' });
  await rig.admin.devices.update(device.id, { store_id: store.id, tags: ['counter'] });
  await rig.admin.schedules.create({ name: 'Breakfast', targets: [{ type: 'store', id: store.id }] });
  const rule = await rig.admin.alerts.createRule({
    name: 'Silent tills',
    condition: { type: 'offline', minutes: 10 },
    filter: { store_id: store.id },
  });
  const { page } = await rig.openAs('Admin', '/stores');
  await page.getByRole('button', { name: 'Delete “To close”?' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 screen stays, without a store.').waitFor();
  await dialog.getByText('Breakfast').waitFor();
  await dialog.getByText('Silent tills').waitFor();
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled(), 'a rule watches it').toBe(true);
  await rig.admin.alerts.deleteRule(rule.id);
  await page.reload();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rig.admin.devices.get(device.id)).store_id).toBeNull();
  // A tag leads to its screens.
  const tag = page.getByRole('listitem').filter({ hasText: 'counter' });
  await tag.getByRole('link', { name: '1 screen' }).click();
  await page.waitForURL(/\/devices\?tag=counter$/);
  await page.getByRole('row', { name: /Till/ }).waitFor();
});

test('a Viewer can change no store', async () => {
  await rig.admin.stores.create({ name: 'Harbour' });
  const { page } = await rig.openAs('Viewer', '/stores?edit=new');
  await page.getByText('Harbour').waitFor();
  expect(await page.getByRole('button', { name: /Add|Harbour|Delete|Save/ }).count()).toBe(0);
});

test('the pages are accessible', async () => {
  const { page } = await rig.openAs('Admin', '/content');
  for (const look of looks(4)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/content`);
    await page.locator('h1').waitFor();
    for (const path of ['/stores', '/stores?edit=new']) {
      await moveTo(page, path, path.includes('edit') ? '[role=dialog]' : 'h1');
      expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
    }
  }
});
