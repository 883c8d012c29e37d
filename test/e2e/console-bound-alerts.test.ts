import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManualClock } from '../../packages/cloud/test/support/manual-clock.ts';
import { eventually } from '../support/eventually.ts';
import { findAccessibilityProblems } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

/** What exists in another store has this in its name. */
const ELSEWHERE = 'Harbour';
const OFFLINE = 'Offline for 10 minutes';

const clock = createManualClock(Date.now());
let rig: ConsoleRig;
let own: string;
/** By their names. */
const screens = new Map<string, { id: string; token: string }>();
/** Names of the screens that are on. */
const on = new Set<string>();

beforeAll(async () => {
  rig = await startConsoleRig({ clock });
  own = (await rig.admin.stores.create({ name: 'Old town' })).id;
  const other = (await rig.admin.stores.create({ name: ELSEWHERE })).id;
  for (const [name, storeId] of [
    ['Till', own],
    ['Window', own],
    [`${ELSEWHERE} till`, other],
    [`${ELSEWHERE} bar`, other],
    [`${ELSEWHERE} door`, other],
  ] as const) {
    const { code, takeToken } = await rig.startPairing(`SN-${screens.size}`);
    const { id } = await rig.admin.devices.pair({ code, name, store_id: storeId });
    screens.set(name, { id, token: await takeToken() });
    on.add(name);
  }
  await rig.admin.alerts.createRule({ name: OFFLINE, condition: { type: 'offline', minutes: 10 } });
}, TIMEOUT_MS);
afterAll(() => rig.close());

/** Lets time pass, during which the screens report, until the condition holds. */
const passUntil = <T>(condition: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    clock.advance(15_000);
    for (const name of on) {
      await rig.sendHeartbeat(screens.get(name)!.token);
    }
    return condition();
  }, TIMEOUT_MS);

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Areas' }).first();
const openOnes = () => rig.admin.alerts.list({ status: 'open' }).toArray();

test('who is bound to a store is told of the alerts of its screens without a reload, and of no others', async () => {
  const { page, complaints } = await rig.openAs(await rig.addPerson('Editor', [own]), '/alerts');
  const open = page.getByRole('list', { name: 'Open' }).getByRole('listitem');
  await page.getByText('You see the alerts about these and about the screens in them').waitFor();
  await page.getByText('No alert is open.').waitFor();
  for (const name of [`${ELSEWHERE} till`, `${ELSEWHERE} bar`, `${ELSEWHERE} door`]) {
    on.delete(name);
  }
  // Of these the person is not told; of what comes after them they are.
  await passUntil(async () => expect(await openOnes()).toHaveLength(1));
  on.delete('Till');
  await passUntil(async () => expect(await open.count()).toBe(1));
  expect(await openOnes()).toHaveLength(2);
  await open.getByRole('link', { name: 'Till' }).waitFor();
  await navigation(page).getByRole('link', { name: 'Alerts 1 open alert' }).waitFor();
  expect(await page.locator('body').innerText()).not.toContain(ELSEWHERE);
  expect(await page.getByRole('button', { name: /mute/i }).count(), 'mutes are of all stores').toBe(0);
  expect(await page.getByRole('link', { name: 'Rules for alerts' }).count()).toBe(0);
  expect(await findAccessibilityProblems(page)).toEqual([]);

  await open.getByRole('link', { name: 'Till' }).click();
  await page.getByRole('heading', { level: 1, name: 'Till' }).waitFor();
  await page.getByText(OFFLINE).first().waitFor();
  await page.getByRole('list', { name: 'Screens' }).getByRole('link', { name: 'Till' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Mails' }).count(), 'addresses of others').toBe(0);
  expect(await page.getByRole('link', { name: OFFLINE }).count(), 'the rule is of all stores').toBe(0);
  expect(await page.getByRole('button', { name: /mute/i }).count()).toBe(0);
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await page.getByRole('list', { name: 'Screens' }).getByRole('link', { name: 'Till' }).click();
  await page.waitForURL(`${rig.url}/devices/${screens.get('Till')!.id}`);
  await page.getByRole('list', { name: 'Alerts' }).getByRole('link', { name: OFFLINE }).waitFor();

  await moveTo(page, '/devices', 'h1');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const cause = attention.getByRole('listitem').filter({ hasText: '1 open alert' });
  await cause.getByText(`Till: ${OFFLINE}`).waitFor();
  await cause.getByRole('link', { name: 'Show them' }).click();
  await open.getByRole('link', { name: 'Till' }).waitFor();

  on.add('Till');
  const resolved = page.getByRole('list', { name: 'Resolved' }).getByRole('listitem');
  await passUntil(async () => expect(await resolved.filter({ hasText: 'Till' }).count()).toBe(1));
  await page.getByText('No alert is open.').waitFor();
  const openInNavigation = () =>
    navigation(page)
      .getByText(/open alert/)
      .count();
  await expect.poll(openInNavigation).toBe(0);
  expect(await page.locator('body').innerText()).not.toContain(ELSEWHERE);
  expect(complaints).toEqual([]);

  // A screen that is removed takes its alert with it.
  on.delete('Window');
  await passUntil(async () => expect(await open.count()).toBe(1));
  await navigation(page).getByRole('link', { name: 'Alerts 1 open alert' }).waitFor();
  await rig.admin.devices.delete(screens.get('Window')!.id);
  await expect.poll(openInNavigation).toBe(0);

  // By its address as well, an alert of another store is as if it did not exist.
  const [foreign] = await openOnes();
  await page.goto(`${rig.url}/alerts/${foreign!.id}`);
  await page.getByRole('alert').waitFor();
  expect(await page.locator('body').innerText()).not.toContain(ELSEWHERE);
  await page.goto(`${rig.url}/alerts/rules?edit=new`);
  await page.getByText('Rules for alerts concern all stores').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New rule' }).count()).toBe(0);
});
