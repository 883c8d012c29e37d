import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

/** Holds the answers to requests that store something back until they are released. */
async function holdAnswers(page: Page, method: 'PATCH' | 'POST', path: string) {
  const stored = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(`${rig.url}${path}`, async (route) => {
    if (route.request().method() !== method) {
      await route.continue();
      return;
    }
    const response = await route.fetch();
    stored.resolve();
    await released.promise;
    await route.fulfill({ response });
  });
  return { stored: stored.promise, release: released.resolve };
}

const saveButton = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).first();

test('what is typed while the answer to saving waits is kept, with the focus, and saved next', async () => {
  const { admin } = rig;
  const { code } = await rig.startPairing('SN-1');
  const device = await admin.devices.pair({ code, name: 'Till' });
  const playlist = await admin.playlists.create({ name: 'Morning', mode: 'sequential', items: [] });
  const schedule = await admin.schedules.create({ name: 'Week', is_active: false });
  const { email } = await rig.addPerson('Viewer');
  const [person] = await admin.people.listUsers({ search: email }).toArray();
  const webhook = await admin.webhooks.create({ url: 'https://example.com/', events: ['device.offline'] });
  for (const { page: path, api, label, stored } of [
    {
      page: '/settings/organization',
      api: '/v1/organization',
      label: 'Name of the organization',
      stored: async () => (await admin.organization.get()).name,
    },
    {
      page: `/settings/people/${person!.id}`,
      api: `/v1/users/${person!.id}`,
      label: 'Name',
      stored: async () => (await admin.people.getUser(person!.id)).name,
    },
    {
      page: `/settings/webhooks/${webhook.id}`,
      api: `/v1/webhooks/${webhook.id}`,
      label: 'Address of your server',
      stored: async () => (await admin.webhooks.get(webhook.id)).url,
    },
    {
      page: `/devices/${device.id}`,
      api: `/v1/devices/${device.id}`,
      label: 'Name',
      stored: async () => (await admin.devices.get(device.id)).name,
    },
    {
      page: `/playlists/${playlist.id}`,
      api: `/v1/playlists/${playlist.id}`,
      label: 'Name',
      stored: async () => (await admin.playlists.get(playlist.id)).name,
    },
    {
      page: `/schedules/${schedule.id}`,
      api: `/v1/schedules/${schedule.id}`,
      label: 'Name',
      stored: async () => (await admin.schedules.get(schedule.id)).name,
    },
  ]) {
    const { page } = await rig.openAs('Admin', path);
    const answers = await holdAnswers(page, 'PATCH', api);
    const field = page.getByLabel(label, { exact: true });
    await field.fill('https://example.com/first');
    await saveButton(page).click();
    await answers.stored;
    await field.fill('https://example.com/second', { timeout: 10_000 });
    answers.release();
    await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' });
    expect(await stored(), path).toBe('https://example.com/first');
    expect(await field.inputValue(), path).toBe('https://example.com/second');
    expect(await field.and(page.locator(':focus')).count(), path).toBe(1);

    await saveButton(page).click();
    await expect.poll(stored, { timeout: TIMEOUT_MS, message: path }).toBe('https://example.com/second');
  }
});

test('a new store that is edited while it is added stays open, to be changed', async () => {
  const { page } = await rig.openAs('Editor', '/stores?edit=new');
  const answers = await holdAnswers(page, 'POST', '/v1/stores');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Old town');
  await saveButton(page).click();
  await answers.stored;
  await dialog.getByLabel('City').fill('Bremen');
  answers.release();
  await page.getByRole('dialog', { name: 'Edit the store' }).waitFor();
  expect(await dialog.getByLabel('City').inputValue()).toBe('Bremen');
  expect(await rig.admin.stores.list().toArray()).toMatchObject([{ name: 'Old town', city: null }]);
  await saveButton(page).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await rig.admin.stores.list().toArray()).toMatchObject([{ name: 'Old town', city: 'Bremen' }]);
});
