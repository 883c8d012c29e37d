import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManualClock } from '../../packages/cloud/test/support/manual-clock.ts';
import { eventually } from '../support/eventually.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

/** A name is text, whatever it contains. */
const HOSTILE = '<img src=x onerror=alert(1)>';
const OFFLINE = 'Offline for 10 minutes';

const clock = createManualClock(Date.now());
let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig({ clock });
}, TIMEOUT_MS);
afterAll(() => rig.close());

/** What each screen that is on reports, by its token. */
const screens = new Map<string, readonly string[]>();

/** Lets time pass, during which the screens report, until the condition holds. */
const passUntil = <T>(condition: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    clock.advance(15_000);
    for (const [token, faults] of screens) {
      await rig.sendHeartbeat(token, faults);
    }
    return condition();
  }, TIMEOUT_MS);

async function addScreen(name: string, about: { store_id?: string } = {}) {
  const { code, takeToken } = await rig.startPairing(`SN-${screens.size}`);
  const { id } = await rig.admin.devices.pair({ code, name, ...about });
  const token = await takeToken();
  screens.set(token, []);
  return { id, token };
}

const openAlerts = (filter: { rule_id?: string } = {}) =>
  rig.admin.alerts.list({ ...filter, status: 'open' }).toArray();
const openList = (page: Page) => page.getByRole('list', { name: 'Open' });
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Areas' }).first();

test('rules are made with one click; a screen that goes offline is an alert without a reload, over when it is back', async () => {
  const { id, token } = await addScreen(HOSTILE);
  const { page, complaints } = await rig.openAs('Editor', '/alerts');
  await page.getByRole('heading', { name: 'Nothing is watched yet' }).waitFor();
  await page.getByLabel('Has not shown what it should for 30 minutes').uncheck();
  await page.getByRole('button', { name: 'Create these rules' }).click();
  await page.getByText('No alert is open. 2 rules watch your screens.').waitFor();
  expect(
    await navigation(page)
      .getByText(/open alert/)
      .count(),
  ).toBe(0);

  screens.delete(token);
  const row = openList(page).getByRole('listitem').filter({ hasText: OFFLINE });
  await passUntil(async () => expect(await row.count()).toBe(1));
  await navigation(page).getByRole('link', { name: 'Alerts 1 open alert' }).waitFor();
  await row.getByRole('link', { name: '1 screen' }).waitFor();

  await row.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  await page.getByText('No mail: the rule had no recipients.').waitFor();
  await page.getByRole('list', { name: 'Screens' }).getByRole('link', { name: HOSTILE }).click();
  await page.waitForURL(`${rig.url}/devices/${id}`);
  await page.getByRole('list', { name: 'Alerts' }).getByRole('link', { name: OFFLINE }).waitFor();

  await moveTo(page, '/devices', 'h1');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const cause = attention.getByRole('listitem').filter({ hasText: '1 open alert' });
  await cause.getByText(`${HOSTILE}: ${OFFLINE}`).waitFor();
  await cause.getByRole('link', { name: 'Show them' }).click();
  await row.waitFor();

  screens.set(token, []);
  const resolved = page.getByRole('list', { name: 'Resolved' }).getByRole('listitem');
  await passUntil(async () => expect(await resolved.filter({ hasText: HOSTILE }).count()).toBe(1));
  await page.getByText('No alert is open.').waitFor();
  await expect
    .poll(() =>
      navigation(page)
        .getByText(/open alert/)
        .count(),
    )
    .toBe(0);
  expect(await page.locator('img[src=x]').count(), 'a name is text').toBe(0);
  expect(complaints).toEqual([]);
});

test('the alert of a screen that is removed is not shown as over', async () => {
  const { id, token } = await addScreen('Door');
  screens.delete(token);
  const { page } = await rig.openAs('Editor', '/alerts');
  const row = openList(page).getByRole('listitem').filter({ hasText: 'Door' });
  await passUntil(async () => expect(await row.count()).toBe(1));
  await rig.admin.devices.delete(id);
  const ended = page
    .getByRole('list', { name: 'Resolved' })
    .getByRole('listitem')
    .filter({ hasText: 'Door' });
  await passUntil(async () => expect(await ended.count()).toBe(1));
  await ended.getByText('Not known to be over: screens were removed').waitFor();
  await ended.getByRole('link', { name: 'Door' }).click();
  await page.getByText('Not known to be over: screens were removed').waitFor();
  const removed = page.getByRole('list', { name: 'Screens' }).getByRole('listitem');
  await removed.filter({ hasText: 'Removed screen' }).filter({ hasText: 'not known to be over' }).waitFor();
});

test('a rule is written in plain words; what the API refuses stands at its field', async () => {
  const store = await rig.admin.stores.create({ name: 'Old town' });
  const { page } = await rig.openAs('Editor', '/alerts/rules');
  await page.getByRole('button', { name: 'New rule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Alert when').selectOption('A screen reports a fault');
  await dialog.getByLabel('Code of the fault').fill('disk.full');
  await dialog.getByText('The disk is full.').waitFor();
  await dialog.getByLabel('Minutes that it must last').fill('120');
  await dialog.getByText('Watches 1 screen.').waitFor();
  await dialog.getByLabel('Store', { exact: true }).selectOption('Old town');
  await dialog.getByText('Watches 0 screens.').waitFor();
  await dialog.getByLabel('Mail to').fill('nobody, a@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const field = dialog.getByLabel('Mail to');
  const problem = dialog.locator(`[id="${await field.getAttribute('aria-describedby')}"]`);
  await expect.poll(() => problem.textContent()).toContain('nobody: has');
  await field.fill('a@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => problem.textContent()).toContain('this cloud sends no mail');

  // What was typed is there again after a reload.
  await page.reload();
  await dialog.getByText(/Unsaved changes from .* restored/).waitFor();
  await field.fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('listitem').filter({ hasText: 'store “Old town”' });
  await row.getByText('Fault disk.full for 2 hours · store “Old town” · no mail').waitFor();
  const [rule] = await rig.admin.alerts.listRules().toArray();
  expect(rule).toMatchObject({
    name: 'Fault disk.full for 2 hours',
    condition: { type: 'fault', code: 'disk.full', minutes: 120 },
    filter: { store_id: store.id },
    language: 'en',
  });

  await row.getByRole('link', { name: 'Fault disk.full for 2 hours' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Full disks');
  await rig.admin.alerts.updateRule(rule!.id, { name: 'Somebody else’s' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('Somebody else’s').waitFor();
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Full disks' }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete' }).count(), 'Admins delete').toBe(0);
});

test('a condition about pictures says that the settings want none, and leads there', async () => {
  const { page, complaints } = await rig.openAs('Admin', '/alerts/rules?edit=new');
  const dialog = page.getByRole('dialog');
  const note = dialog.getByText('Screens send no pictures of their own accord');
  await dialog.getByLabel('Alert when').selectOption('A screen is black');
  await note.waitFor();
  await dialog.getByLabel('Alert when').selectOption('A screen is too hot');
  await note.waitFor({ state: 'detached' });
  await dialog.getByLabel('Alert when').selectOption('The picture of a screen does not change');
  await dialog.getByRole('link', { name: 'Open the settings' }).click();
  await page.getByLabel('Picture of its own accord').selectOption('15');
  await untilStored(page, 'PATCH', '/v1/organization', () =>
    page.getByRole('button', { name: 'Save' }).click(),
  );
  expect((await rig.admin.organization.get()).screenshot_interval_minutes).toBe(15);
  const read = page.waitForResponse((response) => response.url().endsWith('/v1/organization'));
  await page.goto(`${rig.url}/alerts/rules?edit=new`);
  // What was chosen is there again.
  await dialog.getByLabel('Pictures one after the other').waitFor();
  await read;
  await dialog.getByText('Watches').waitFor();
  expect(await note.count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await rig.admin.organization.update({ screenshot_interval_minutes: null });
  expect(complaints).toEqual([]);
});

test('switching a rule off ends its alerts and can be taken back; a changed one says so before', async () => {
  const { token } = await addScreen('Till');
  screens.set(token, ['cache.lost']);
  const { id } = await rig.admin.alerts.createRule({
    name: 'Lost caches',
    condition: { type: 'fault', code: 'cache.lost', minutes: 0 },
  });
  const { page, complaints } = await rig.openAs('Admin', `/alerts/rules?edit=${id}`);
  await passUntil(async () => expect(await openAlerts({ rule_id: id })).toHaveLength(1));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Minutes that it must last').fill('3');
  await dialog.getByText('Saving this ends 1 open alert of the rule.').waitFor();
  await dialog.getByLabel('Minutes that it must last').fill('0');
  await dialog.getByText('Saving this ends').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const active = page.getByRole('switch', { name: '“Lost caches” is active' });
  await active.click();
  await page.getByText('“Lost caches” is switched off.').waitFor();
  expect(await openAlerts({ rule_id: id })).toEqual([]);
  await untilStored(page, 'PATCH', `/v1/alert-rules/${id}`, () =>
    page.getByRole('button', { name: 'Undo' }).click(),
  );
  expect((await rig.admin.alerts.getRule(id)).is_active).toBe(true);
  await expect.poll(() => active.isChecked()).toBe(true);

  const row = page.getByRole('listitem').filter({ hasText: 'Lost caches' });
  await row.getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: 'Delete “Lost caches”?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await row.waitFor({ state: 'detached' });
  await moveTo(page, '/alerts', 'h1');
  await page.getByText('The rule was changed, switched off or deleted').first().waitFor();
  screens.set(token, []);
  expect(complaints).toEqual([]);
});

test('what this console does not know is shown by its name, and the rest of a rule can be changed', async () => {
  const { id } = await rig.admin.alerts.createRule({
    name: 'From a newer cloud',
    condition: { type: 'offline', minutes: 60 },
  });
  const { page, complaints } = await rig.openAs('Editor', '/alerts');
  await page.route(/\/v1\/alert/, async (route) => {
    const response = await route.fetch();
    const text = (await response.text())
      .replaceAll('"type":"offline"', '"type":"sunspots"')
      .replaceAll('"resolved_because":"rule_changed"', '"resolved_because":"moonlight"');
    const mail = '{"step":"sung","status":"echoed","recipient":"a","attempts":0,"finished_at":null}';
    const isOfMails = route.request().url().endsWith('/mails');
    await route.fulfill({ response, body: isOfMails ? text.replace('[]', `[${mail}]`) : text });
  });
  await page.goto(`${rig.url}/alerts/rules?edit=${id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('does not know the condition “sunspots”').waitFor();
  expect(await dialog.getByLabel('Alert when').inputValue()).toBe('sunspots');
  await page.keyboard.press('Escape');
  await page
    .getByText(/^sunspots · all screens/)
    .first()
    .waitFor();
  await moveTo(page, '/alerts', 'h1');
  const resolved = page.getByRole('list', { name: 'Resolved' }).getByRole('listitem');
  const reason = 'Ended for another reason (moonlight)';
  await resolved.getByText('sunspots').first().waitFor();
  await resolved.filter({ hasText: reason }).first().getByRole('link').first().click();
  await page.getByRole('list', { name: 'Mails' }).getByText('echoed').waitFor();
  await page.getByText(reason).waitFor();
  expect(complaints).toEqual([]);
  await rig.admin.alerts.deleteRule(id);
});

test('the page of a screen tells of the open alert of its store only while it concerns the screen', async () => {
  const store = await rig.admin.stores.create({ name: 'Harbour' });
  const added = [];
  for (const name of ['Left', 'Middle', 'Right']) {
    const screen = await addScreen(name, { store_id: store.id });
    screens.set(screen.token, ['media.unreadable']);
    added.push(screen);
  }
  const [first, second] = added;
  const { id } = await rig.admin.alerts.createRule({
    name: 'Unreadable',
    condition: { type: 'fault', code: 'media.unreadable', minutes: 0 },
  });
  const { page } = await rig.openAs('Viewer', `/devices/${first!.id}`);
  const alert = page.getByRole('list', { name: 'Alerts' }).getByRole('link', { name: 'Unreadable' });
  await passUntil(async () => expect(await alert.count()).toBe(1));
  screens.set(first!.token, []);
  await passUntil(async () => expect((await openAlerts({ rule_id: id }))[0]?.devices_affected).toBe(2));
  await page.goto(`${rig.url}/devices/${second!.id}`);
  await alert.waitFor();
  const answered = page.waitForResponse(/\/v1\/alerts\/[^/]+\/devices/);
  await page.goto(`${rig.url}/devices/${first!.id}`);
  await answered;
  await page.getByRole('heading', { name: 'Commands' }).waitFor();
  await page.locator('[class*=animate-pulse]').first().waitFor({ state: 'detached' });
  expect(await alert.count(), 'over for this screen').toBe(0);
  await rig.admin.alerts.deleteRule(id);
  for (const { token } of added) {
    screens.set(token, []);
  }
  // A fault that has lasted for minutes of this clock has opened an alert of the first rules.
  await passUntil(async () => expect(await openAlerts()).toEqual([]));
});

test('a rule says when and to whom it tells later, and the page of alerts who is muted', async () => {
  await rig.admin.alerts.createRule({
    name: 'By day',
    condition: { type: 'offline', minutes: 30 },
    opening_hours: [{ days: ['MON'], start_time: '09:00', end_time: '18:00' }],
  });
  const until = new Date(clock.nowMs() + 3_600_000).toISOString();
  const mute = await rig.admin.alerts.createMute({ target: { type: 'all' }, until, reason: HOSTILE });
  const { page } = await rig.openAs('Viewer', '/alerts/rules');
  await page.getByText('Offline for 30 minutes · all screens · in opening hours only · no mail').waitFor();
  await moveTo(page, '/alerts', 'h1');
  const muted = page.getByRole('list', { name: 'Mutes' }).getByRole('listitem');
  await muted
    .filter({ hasText: /^.?Muted until .*all screens/ })
    .getByText(HOSTILE)
    .waitFor();
  await page.getByText('No alert is open.').waitFor();
  expect(await page.getByText(/rules? watch/).count(), 'nobody watches').toBe(0);
  await rig.admin.alerts.deleteMute(mute.id);
});

test('opening hours, later mails and mutes are edited', async () => {
  const { id } = await rig.admin.alerts.createRule({
    name: 'At night',
    condition: { type: 'offline', minutes: 60 },
  });
  const { page, complaints } = await rig.openAs('Editor', `/alerts/rules?edit=${id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Alerts are opened').selectOption('In opening hours only');
  await dialog.getByRole('button', { name: 'Sat', exact: true }).click();
  await dialog.getByLabel('From', { exact: true }).fill('22:00');
  await dialog.getByText('On the next day').waitFor();
  await dialog.getByRole('button', { name: 'Mail to others later' }).click();
  const later = dialog.getByRole('group', { name: 'If it is still open' });
  await later.getByLabel('After minutes').fill('90');
  await later.getByLabel('Mail to').fill('a@example.com, nobody');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await later.getByText('nobody: has').waitFor();
  await later.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await rig.admin.alerts.getRule(id)).toMatchObject({
    opening_hours: [{ days: ['MON', 'TUE', 'WED', 'THU', 'FRI'], start_time: '22:00', end_time: '20:00' }],
    escalations: [],
  });

  await moveTo(page, '/alerts', 'h1');
  await page.getByRole('button', { name: 'Mute' }).click();
  await dialog.getByLabel('Screens').selectOption('store “Harbour”');
  await dialog.getByLabel('For', { exact: true }).selectOption('7 days');
  await dialog.getByLabel('Reason').fill('Rebuilding');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  const row = page.getByRole('list', { name: 'Mutes' }).getByRole('listitem');
  await row.getByText('store “Harbour”').waitFor();
  await row.getByText('Rebuilding').waitFor();
  const [mute] = await rig.admin.alerts.listMutes();
  const days = (Date.parse(mute!.until) - Date.parse(mute!.created_at)) / 86_400_000;
  expect(Math.abs(days - 7)).toBeLessThan(0.5);
  await row.getByRole('button', { name: /^Unmute/ }).click();
  await row.waitFor({ state: 'detached' });
  expect(await rig.admin.alerts.listMutes()).toEqual([]);

  // A time that is over is refused at its field.
  await page.getByRole('button', { name: 'Mute' }).click();
  await dialog.getByLabel('For', { exact: true }).selectOption('Until a time');
  await dialog.getByLabel('Until', { exact: true }).fill('2020-01-01T10:00');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  expect(complaints).toEqual([expect.stringContaining('400'), expect.stringContaining('400')]);
  await rig.admin.alerts.deleteRule(id);
});

test('a Viewer sees alerts and rules, and can change nothing', async () => {
  const { page } = await rig.openAs('Viewer', '/alerts/rules?edit=new');
  const rules = page.getByRole('list', { name: 'Rules for alerts' });
  await rules.getByText(OFFLINE).first().waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('button', { name: /New rule|Delete|Save/ }).count()).toBe(0);
  expect(await rules.getByRole('switch').first().isDisabled()).toBe(true);
});

test('the pages are accessible', async () => {
  const rule = await rig.admin.alerts.createRule({
    name: 'Full disks',
    condition: { type: 'fault', code: 'disk.full', minutes: 0 },
  });
  const { token } = await addScreen('Window');
  screens.set(token, ['disk.full']);
  const isOpen = async () => {
    const [alert] = await openAlerts({ rule_id: rule.id });
    expect(alert).toBeDefined();
    return alert!;
  };
  const { id } = await passUntil(isOpen);
  // A page that the list no longer has.
  const { page } = await rig.openAs('Admin', '/alerts?open=9');
  await openList(page).getByRole('link', { name: 'Window' }).first().waitFor();
  for (const look of looks(1)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/stores`);
    await page.locator('h1').waitFor();
    for (const path of ['/alerts', `/alerts/${id}`, '/alerts/rules', '/alerts/rules?edit=new']) {
      await moveTo(page, path, path.includes('edit') ? '[role=dialog]' : 'h1');
      expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
    }
  }
});
