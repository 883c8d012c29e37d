import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManualClock } from '../../packages/cloud/test/support/manual-clock.ts';
import { eventually } from '../support/eventually.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';
import { rings, screenList, state } from './console-rollout-parts.ts';

/** A name is text, whatever it contains. */
const HOSTILE = '<img src=x onerror=alert(1)>';

interface Screen {
  id: string;
  token: string;
  version: string;
}

const clock = createManualClock(Date.now());
let rig: ConsoleRig;
/** Screens that report. */
const screens: Screen[] = [];
beforeAll(async () => {
  rig = await startConsoleRig({ clock });
  for (let index = 1; index <= 4; index += 1) {
    const { code, takeToken } = await rig.startPairing(`SN-${index}`);
    const { id } = await rig.admin.devices.pair({ code, name: `Screen ${index}` });
    screens.push({ id, token: await takeToken(), version: '0.1.0' });
  }
}, TIMEOUT_MS);
afterAll(() => rig.close());

const beat = ({ token, version }: Screen) =>
  rig.report(token, 'heartbeats', {
    samples: [],
    state: {
      player_version: version,
      shell: 'chromium',
      uptime_seconds: 60,
      applied_manifest_revision: null,
      current: null,
      storage: { cache_bytes: 0, free_bytes: 1_000_000, assets_held: 0, assets_missing: 0 },
      faults: [],
      starts: { count: 1, first_picture_ms: 2000 },
    },
  });

/** Lets time pass, during which the screens report, until the condition holds. */
const passUntil = <T>(condition: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    clock.advance(15_000);
    for (const screen of screens) {
      await beat(screen);
    }
    return condition();
  }, TIMEOUT_MS);

/** Screens that were told to update, with the command. */
async function toldScreens(rolloutId: string) {
  const told = await rig.admin.rollouts.listDevices(rolloutId, { status: 'told' }).toArray();
  return told.map(({ device_id: id, command_id: command }) => ({
    screen: screens.find((screen) => screen.id === id)!,
    command,
  }));
}

/** What a screen answers to UPDATE_CHECK. */
const answer = ({ token }: Screen, command: string | null, status: string, result: object) =>
  rig.report(token, `commands/${command}/status`, { status, result });

test('a rollout is started, followed without a reload, and stopped by hand', async () => {
  for (const screen of screens) {
    await beat(screen);
  }
  const { page, complaints } = await rig.openAs('Editor', '/devices');
  await page.getByRole('link', { name: 'Player updates' }).click();
  await page.getByRole('heading', { name: 'No version was rolled out yet' }).waitFor();
  await page.getByRole('button', { name: 'Start a rollout' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('4 screens match').waitFor();
  await dialog.getByText('Name or place').click();
  await dialog.getByLabel('Name contains').fill('Screen 1');
  await dialog.getByText('1 screen matches').waitFor();
  await dialog.getByLabel('Name contains').fill('Screen');
  await dialog.getByText('4 screens match').waitFor();
  const version = dialog.getByLabel('Version');
  await version.fill('newest');
  await dialog.getByRole('button', { name: 'Start a rollout' }).click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  await version.fill('0.2.0');
  await dialog.getByText('Name, rings and duration').click();
  await dialog.getByLabel('Name', { exact: true }).fill(HOSTILE);
  await dialog.getByLabel('Rings').selectOption('10 % → 100 %');

  // What was typed is there again after a reload.
  await page.reload();
  await dialog.getByText(/Unsaved changes from .* restored/).waitFor();
  await dialog.getByRole('button', { name: 'Start a rollout' }).click();
  await page.waitForURL(/\/devices\/rollouts\/rollout_/);
  await page.getByRole('heading', { level: 1, name: `0.2.0 · ${HOSTILE}` }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  expect(await rig.admin.rollouts.get(id)).toMatchObject({
    filter: { search: 'Screen' },
    rings: [{ percent: 10 }, { percent: 100 }],
  });
  await page.getByText('name contains “Screen”').waitFor();

  await passUntil(async () => expect(await toldScreens(id)).toHaveLength(1));
  await state(page, 'Running: ring 1 of 2 (up to 10 %)').waitFor();
  await rings(page).first().getByText('0 of 1 screen · 1 told').waitFor();
  await rings(page).nth(1).getByText('0 of 3 screens · 3 not told').waitFor();
  await page.getByText('The screens of this ring are compared from about an hour').waitFor();
  const [{ screen, command } = { screen: undefined, command: null }] = await toldScreens(id);
  await answer(screen!, command, 'acknowledged', {});
  await answer(screen!, command, 'succeeded', { outcome: 'confirmed', to: '0.2.0', code: null });
  screen!.version = '0.2.0';
  await passUntil(async () =>
    expect(await rig.admin.rollouts.get(id)).toMatchObject({ rings: [{ updated: 1 }, {}] }),
  );
  await rings(page).first().getByText('1 of 1 screen').waitFor();
  await screenList(page).first().getByText('Has the version').waitFor();

  await moveTo(page, '/devices/rollouts', 'h1');
  await page.getByText('The next rollout can be started when this one has ended.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Start a rollout' }).count()).toBe(0);
  await page.getByText('1 of 1 updated in this ring').waitFor();
  await page.getByRole('link', { name: HOSTILE }).click();

  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await dialog.getByText('A rollout that was stopped cannot be continued.').waitFor();
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await state(page, 'Stopped by hand: ring 1 of 2 (up to 10 %)').waitFor();
  await page.getByText(/^Editor \d+ stopped it\.$/).waitFor();
  await rings(page).nth(1).getByText('Not reached').waitFor();
  await page.getByText('until this rollout is deleted, or one for all screens has finished').waitFor();
  expect(await page.getByRole('button', { name: 'Delete' }).count(), 'Admins delete').toBe(0);

  await moveTo(page, '/devices', 'h1');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const cause = attention
    .getByRole('listitem')
    .filter({ hasText: 'The rollout of version 0.2.0 was stopped' });
  await cause.getByRole('link', { name: 'Show them' }).click();
  await page.waitForURL(`${rig.url}/devices/rollouts/${id}`);
  await state(page, 'Stopped by hand: ring 1 of 2 (up to 10 %)').waitFor();
  expect(await page.locator('img[src=x]').count(), 'a name is text').toBe(0);
  await moveTo(page, '/devices/rollouts', 'h1');
  await page.getByRole('link', { name: HOSTILE }).waitFor();
  await rig.admin.rollouts.delete(id);
  await page.getByRole('heading', { name: 'No version was rolled out yet' }).waitFor();
  expect(complaints).toEqual([expect.stringContaining('400')]);
});

test('one that stops by itself says why, what to do and which screens have failed', async () => {
  const { page, complaints } = await rig.openAs('Admin', '/devices/rollouts?create=yes');
  const form = page.getByRole('dialog', { name: 'Start a rollout' });
  await form.getByLabel('Version').fill('0.4.0');
  await form.getByText('Up to 1 % of the screens first, then 10 %, 100 %: each after 7 days').waitFor();
  // Somebody else is faster.
  const { id } = await rig.admin.rollouts.create({ version: '0.3.0', rings: [50, 100] });
  await form.getByText('Another rollout has begun:').waitFor();
  expect(await form.getByRole('button', { name: 'Start a rollout' }).isDisabled()).toBe(true);
  await form.getByRole('link', { name: '0.3.0' }).click();
  await page.waitForURL(`${rig.url}/devices/rollouts/${id}`);
  await passUntil(async () => expect(await toldScreens(id)).toHaveLength(2));
  await state(page, 'Running: ring 1 of 2 (up to 50 %)').waitFor();
  for (const { screen, command } of await toldScreens(id)) {
    await answer(screen, command, 'failed', { outcome: 'rolled_back', to: '0.3.0', code: 'crashed' });
  }
  await passUntil(async () => expect((await rig.admin.rollouts.get(id)).status).toBe('stopped'));
  await state(page, 'Stopped by itself: ring 1 of 2 (up to 50 %)').waitFor();
  await page.getByText('On 2 of 2 screens the version could not be installed or did not work.').waitFor();
  await page.getByText('What to do:').waitFor();
  await page.getByText('It ended before the screens of this ring were compared.').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('Failed');
  await page.waitForURL(/status=failed/);
  await expect.poll(() => screenList(page).count()).toBe(2);
  await screenList(page).first().getByText('The version did not work there').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('Removed');
  await page.getByText('No screen is in this state.').waitFor();

  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the rollout of 0.3.0?' });
  await dialog.getByText('update of their own accord again').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(`${rig.url}/devices/rollouts`);
  await page.getByRole('link', { name: '0.3.0' }).waitFor({ state: 'detached' });
  // The event of the deletion may come before the page is left, which then asks once more for what is gone.
  expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
});

test('one that reaches no screen with an older version says so', async () => {
  const { id } = await rig.admin.rollouts.create({ version: '0.0.1' });
  await passUntil(async () => expect((await rig.admin.rollouts.get(id)).status).toBe('finished'));
  const { page, complaints } = await rig.openAs('Viewer', '/devices/rollouts');
  await page.getByRole('listitem').filter({ hasText: '0.0.1' }).getByText('Finished').waitFor();
  await page.getByRole('link', { name: '0.0.1' }).click();
  await page.getByText('No screen that it reaches has an older version.').waitFor();
  await page.getByText('Check the version, and which screens you chose.').waitFor();
  expect(await page.getByRole('list', { name: 'Rings' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await rig.admin.rollouts.delete(id);
});

test('whoever is bound to stores is told that rollouts concern all', async () => {
  const { id } = await rig.admin.stores.create({ name: 'Old town' });
  await rig.admin.devices.update(screens[0]!.id, { store_id: id });
  const { page, complaints } = await rig.openAs(await rig.addPerson('Editor', [id]), '/devices');
  await page.getByRole('link', { name: 'Screen 1' }).waitFor();
  expect(await page.getByRole('link', { name: 'Player updates' }).count()).toBe(0);
  await moveTo(page, '/devices/rollouts', 'h1');
  await page.getByText('rollouts are not shown to you').waitFor();
  expect(complaints).toEqual([]);
});
