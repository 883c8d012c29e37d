import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

/** Holds the answers to requests that store something back until they are released; what is refused is not stored. */
async function holdAnswers(page: Page, method: 'PATCH' | 'POST', path: string, { isRefused = false } = {}) {
  const stored = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(`${rig.url}${path}`, async (route) => {
    if (route.request().method() !== method) {
      await route.continue();
      return;
    }
    const answer = isRefused ? REFUSED : { response: await route.fetch() };
    stored.resolve();
    await released.promise;
    await route.fulfill(answer);
  });
  return { stored: stored.promise, release: released.resolve };
}

const REFUSED = { status: 409, json: { error: { code: 'CONFLICT', message: 'Not now.', status: 409 } } };

const resource = z.object({ data: z.record(z.string(), z.unknown()) });

/** A property of what is stored, read by the person of the page: a session may send more requests than a key. */
async function readStored(page: Page, path: string, property: string): Promise<unknown> {
  const response = await page.request.get(`${rig.url}${path}`);
  return resource.parse(await response.json()).data[property];
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
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
  for (const { page: path, api, label, property } of [
    {
      page: '/settings/organization',
      api: '/v1/organization',
      label: 'Name of the organization',
      property: 'name',
    },
    {
      page: `/settings/people/${person!.id}`,
      api: `/v1/users/${person!.id}`,
      label: 'Name',
      property: 'name',
    },
    {
      page: `/settings/webhooks/${webhook.id}`,
      api: `/v1/webhooks/${webhook.id}`,
      label: 'Address of your server',
      property: 'url',
    },
    {
      page: `/devices/${device.id}`,
      api: `/v1/devices/${device.id}`,
      label: 'Name',
      property: 'name',
    },
    {
      page: `/playlists/${playlist.id}`,
      api: `/v1/playlists/${playlist.id}`,
      label: 'Name',
      property: 'name',
    },
    {
      page: `/schedules/${schedule.id}`,
      api: `/v1/schedules/${schedule.id}`,
      label: 'Name',
      property: 'name',
    },
  ]) {
    const { page } = await rig.openAs('Admin', path);
    const answers = await holdAnswers(page, 'PATCH', api);
    const stored = () => readStored(page, api, property);
    const field = page.getByLabel(label, { exact: true });
    await field.fill('https://example.com/first');
    await saveButton(page).click();
    await answers.stored;
    await field.fill('https://example.com/second');
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

test('a form that is sent once takes nothing until the answer is there, and is as it was when it is refused', async () => {
  const { code } = await rig.startPairing('SN-2');
  const device = await rig.admin.devices.pair({ code, name: 'Menu' });
  for (const { page: path, method = 'POST', api, label, typed, more } of [
    { page: '/settings/api-keys?create=yes', api: '/v1/api-keys', label: 'Name of the key', typed: 'Till' },
    {
      page: '/settings/people?invite=yes',
      api: '/v1/invitations',
      label: 'E-mail address (optional)',
      typed: 'guest@example.com',
    },
    {
      page: '/settings/webhooks?create=yes',
      api: '/v1/webhooks',
      label: 'Address of your server',
      typed: 'https://example.com/hook',
      more: 'device.online',
    },
    { page: '/devices/rollouts?create=yes', api: '/v1/rollouts', label: 'Version', typed: '0.2.0' },
    {
      page: `/devices/${device.id}`,
      method: 'PATCH' as const,
      api: `/v1/devices/${device.id}`,
      label: 'New PIN',
      typed: '2468',
    },
  ]) {
    const { page } = await rig.openAs('Admin', path);
    const answers = await holdAnswers(page, method, api, { isRefused: true });
    const field = page.getByLabel(label, { exact: true });
    const form = page.locator('form', { has: field });
    await field.fill(typed);
    await field.press('Enter');
    await answers.stored;
    await form.locator('button[aria-busy=true]').waitFor();
    await page.keyboard.type('1');
    await field.click({ force: true });
    await page.keyboard.type('2');
    const checkBox = more === undefined ? null : page.getByLabel(more, { exact: true });
    await checkBox?.click({ force: true });
    expect(await field.inputValue(), path).toBe(typed);
    expect(await checkBox?.isChecked(), path).not.toBe(true);
    answers.release();
    await page.getByRole('alert').getByText('Not now.').waitFor();
    expect(await field.inputValue(), path).toBe(typed);
    await expect
      .poll(() => field.and(page.locator(':focus')).count(), { timeout: TIMEOUT_MS, message: path })
      .toBe(1);

    await page.unrouteAll();
    await page.keyboard.press('Enter');
    await (method === 'PATCH' ? page.getByText('A PIN is set.') : form).waitFor({
      state: method === 'PATCH' ? 'visible' : 'detached',
    });
  }
  const [webhook] = await rig.admin.webhooks.list().toArray();
  expect(webhook?.url).toBe('https://example.com/hook');
});

test('another action of the page is no conflict with what is edited there; what somebody else has edited is one', async () => {
  const { admin } = rig;
  const { code } = await rig.startPairing('SN-3');
  const device = await admin.devices.pair({ code, name: 'Door' });
  const webhook = await admin.webhooks.create({ url: 'https://example.com/a', events: ['device.offline'] });
  const { email } = await rig.addPerson('Viewer');
  const [person] = await admin.people.listUsers({ search: email }).toArray();
  for (const { path, api, label, act, property } of [
    {
      path: `/settings/webhooks/${webhook.id}`,
      api: `/v1/webhooks/${webhook.id}`,
      label: 'Address of your server',
      act: async (page: Page) => {
        await press(page, 'Switch off');
        await page.getByRole('button', { name: 'Switch on', exact: true }).waitFor();
        await press(page, 'New secret');
        await page.getByRole('textbox', { name: 'Secret' }).waitFor();
      },
      property: 'url',
    },
    {
      path: `/settings/people/${person!.id}`,
      api: `/v1/users/${person!.id}`,
      label: 'Name',
      act: async (page: Page) => {
        await press(page, 'Disable');
        await page.getByRole('button', { name: 'Let in again', exact: true }).waitFor();
      },
      property: 'name',
    },
    {
      path: `/devices/${device.id}`,
      api: `/v1/devices/${device.id}`,
      label: 'Name',
      act: async (page: Page) => {
        await page.getByLabel('New PIN').fill('1357');
        await page.getByLabel('New PIN').press('Enter');
        await page.getByText('A PIN is set.').waitFor();
      },
      property: 'name',
    },
  ]) {
    const { page } = await rig.openAs('Admin', path);
    const field = page.getByLabel(label, { exact: true });
    await field.fill('https://example.com/b');
    await page.reload();
    await page.getByText(/Unsaved changes from .* restored/).waitFor();
    await act(page);
    expect(await field.inputValue(), path).toBe('https://example.com/b');
    await saveButton(page).click();
    await expect
      .poll(() => readStored(page, api, property), { timeout: TIMEOUT_MS, message: path })
      .toBe('https://example.com/b');
    expect(await page.getByRole('alert').count(), path).toBe(0);
  }
  expect(await admin.webhooks.get(webhook.id)).toMatchObject({ is_active: false });

  const { page } = await rig.openAs('Admin', `/settings/webhooks/${webhook.id}`);
  await page.getByLabel('Address of your server').fill('https://example.com/mine');
  await admin.webhooks.update(webhook.id, { url: 'https://example.com/theirs' });
  await press(page, 'Switch on');
  await page.getByRole('button', { name: 'Switch off', exact: true }).waitFor();
  await saveButton(page).click();
  await page.getByRole('alert').getByText('https://example.com/theirs').waitFor();
  expect((await admin.webhooks.get(webhook.id)).url).toBe('https://example.com/theirs');
});

test('nothing is saved while another change of the page is not answered', async () => {
  const webhook = await rig.admin.webhooks.create({
    url: 'https://example.com/c',
    events: ['device.offline'],
  });
  const { page } = await rig.openAs('Admin', `/settings/webhooks/${webhook.id}`);
  await page.getByLabel('Address of your server').fill('https://example.com/d');
  const answers = await holdAnswers(page, 'PATCH', `/v1/webhooks/${webhook.id}`);
  await page.getByRole('button', { name: 'Switch off', exact: true }).click();
  await answers.stored;
  await saveButton(page).and(page.locator(':disabled')).waitFor();
  answers.release();
  await saveButton(page).click();
  await expect
    .poll(() => readStored(page, `/v1/webhooks/${webhook.id}`, 'url'), { timeout: TIMEOUT_MS })
    .toBe('https://example.com/d');
  expect(await page.getByRole('alert').count()).toBe(0);
});
