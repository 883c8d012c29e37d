import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, PASSWORD, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

const HOSTILE = '<img src=x onerror=alert(1)>';
const PAGES = ['account', 'people', 'api-keys', 'webhooks', 'audit-log', 'organization', 'about'];
const FOR_ADMINS = ['people', 'api-keys', 'webhooks', 'audit-log'];
const button = (name: string) => ({ name, exact: true });

describe('own account', () => {
  test('a second factor is set up with the code of an app, and then asked for', async () => {
    const person = await rig.addPerson('Viewer');
    const { page, complaints } = await rig.openAs(person, '/settings');
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Second factor' }) });
    await panel.getByLabel('Current password').fill(PASSWORD);
    await panel.getByRole('button', button('Set up')).click();
    await panel.getByRole('img', { name: 'QR code' }).waitFor();
    const secret = await panel.locator('code').textContent();
    await panel.getByLabel('First code of the app').fill(oneTimeCode(secret!));
    await panel.getByRole('button', button('Switch on')).click();
    await panel.getByText('On: signing in').waitFor();
    expect(complaints).toEqual([]);
    await page.context().clearCookies();
    await page.goto(`${rig.url}/sign-in`);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', button('Sign in')).click();
    await page.getByLabel('Code of your authenticator app').waitFor();
  });

  test('a session that is ended here is out at once', async () => {
    const person = await rig.addPerson('Viewer');
    const other = await rig.signInElsewhere(person, 'Mozilla/5.0 (Windows NT 10.0) Firefox/150.0');
    expect(await rig.askWith(other)).toBe(200);
    const { page } = await rig.openAs(person, '/settings/account');
    await page.getByRole('button', { name: 'End: Firefox, Windows' }).click();
    await page.getByText('Firefox, Windows').waitFor({ state: 'detached' });
    expect(await rig.askWith(other)).toBe(401);
    expect(await rig.askWith(person.session)).toBe(200);
  });
});

describe('an Admin', () => {
  test('invites a person by a link that works once, changes their role and disables them', async () => {
    const { page, complaints } = await rig.openAs('Admin', '/settings/people');
    await page.getByRole('button', button('Invite')).click();
    await page.getByLabel('E-mail address (optional)').fill('guest@example.com');
    await page.getByLabel('Role').selectOption('Viewer');
    await page.getByRole('button', button('Make the link')).click();
    const link = await page.getByRole('textbox', { name: 'Invite a person' }).inputValue();

    const guest = await rig.openBrowser();
    await guest.page.goto(link);
    await guest.page.locator('input[name=name]').fill(HOSTILE);
    await guest.page.locator('input[name=password]').fill(PASSWORD);
    await guest.page.locator('button[type=submit]').click();
    await guest.page.waitForURL(/\/devices$/);
    await guest.page.goto(link);
    await guest.page.getByRole('alert').waitFor();
    expect(await guest.page.locator('input[name=password]').count(), 'used already').toBe(0);

    await page.goto(`${rig.url}/settings/people?search=guest`);
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByLabel('Role').selectOption('Editor');
    await page.getByRole('button', button('Save')).click();
    await expect
      .poll(async () => (await guest.page.request.get(`${rig.url}/v1/me`)).text(), { timeout: TIMEOUT_MS })
      .toContain('"role":"Editor"');
    await page.getByRole('button', button('Disable')).click();
    await page.getByRole('button', button('Let in again')).waitFor();
    expect((await guest.page.request.get(`${rig.url}/v1/me`)).status()).toBe(401);
    expect(await page.locator('img[src=x]').count(), 'a name is text').toBe(0);
    await page.getByRole('button', button('Remove this person')).click();
    await page.getByRole('dialog', { name: `Remove “${HOSTILE}”?` }).waitFor();
    await page.getByRole('dialog').getByRole('button', button('Remove this person')).click();
    await page.waitForURL(/\/settings\/people$/);
    expect(complaints).toEqual([]);
  });

  test('makes a key that is shown once, and revokes it', async () => {
    const { page, complaints } = await rig.openAs('Admin', '/settings/api-keys?create=yes');
    await page.getByLabel('Name of the key').fill(HOSTILE);
    await page.getByRole('dialog').getByRole('button', button('Create a key')).click();
    const key = await page.getByRole('textbox', { name: 'Create a key' }).inputValue();
    const status = async () =>
      (await fetch(`${rig.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status()).toBe(200);
    await page.getByRole('dialog').getByRole('button', button('Close')).last().click();
    const row = page.getByRole('listitem').filter({ hasText: HOSTILE });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row.getByText(`…${key.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(key);
    await row.getByRole('button', button('Revoke')).click();
    await page.getByRole('dialog', { name: `Revoke the key “${HOSTILE}”?` }).waitFor();
    await page.getByRole('dialog').getByRole('button', button('Revoke')).click();
    // A dialog hides the page behind it.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expect(await status()).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('makes a webhook, sends a test, and sees the delivery', async () => {
    const { page } = await rig.openAs('Admin', '/settings/webhooks?create=yes');
    await page.getByLabel('Address of your server').fill('https://hooks.example.com/placard');
    await page.reload();
    await page.getByText(/Unsaved changes from .* restored/).waitFor();
    await page.getByRole('dialog').getByRole('button', button('Create a webhook')).click();
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toMatch(
      /whsec_|hooks\.example/,
    );
    await page.getByRole('dialog').getByRole('link').click();
    await page.getByRole('button', button('Send a test')).click();
    await page.getByText('webhook.test').waitFor();
    await page.getByRole('button', button('New secret')).click();
    expect(await page.getByRole('textbox', { name: 'Secret' }).inputValue()).not.toBe(secret);
    await page.getByRole('button', button('Switch off')).click();
    await page.getByRole('button', button('Switch on')).waitFor();
    await page.getByRole('button', button('Delete the webhook')).click();
    await page.getByRole('dialog').getByRole('button', button('Delete the webhook')).click();
    await page.getByText('No webhook yet.').waitFor();
  });

  test('chooses between two versions of the organization when somebody else was faster', async () => {
    const { page } = await rig.openAs('Admin', '/settings/organization');
    const name = page.getByLabel('Name of the organization');
    await name.fill('Mine');
    await rig.admin.organization.update({ name: 'Theirs' });
    await page.getByRole('button', button('Save')).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText('Theirs', { exact: true }).waitFor();
    expect(await name.inputValue()).toBe('Mine');
    await conflict.getByRole('button', button('Keep mine')).click();
    const save = () => page.getByRole('button', button('Save')).click();
    await untilStored(page, 'PATCH', '/v1/organization', save);
    expect((await rig.admin.organization.get()).name).toBe('Mine');

    await page.getByLabel('Pictures may be taken of screens').uncheck();
    await rig.admin.organization.update({ name: 'Theirs again' });
    await page.getByRole('button', button('Save')).click();
    await conflict.getByRole('button', button('Take theirs')).click();
    await expect.poll(() => name.inputValue()).toBe('Theirs again');
    expect(await page.getByLabel('Pictures may be taken of screens').isChecked()).toBe(true);
  });

  test('reads the audit log with filters that are in the address', async () => {
    const { page } = await rig.openAs('Admin', '/settings/organization');
    await page.getByLabel('Name of the organization').fill(HOSTILE);
    await untilStored(page, 'PATCH', '/v1/organization', () =>
      page.getByRole('button', button('Save')).click(),
    );
    expect((await rig.admin.organization.get()).name).toBe(HOSTILE);
    await page.getByRole('link', button('Audit log')).click();
    await page.getByText('user.signed_up').first().waitFor();
    await page.getByLabel('Action').fill('organization.updated');
    await page.getByRole('button', button('Search')).click();
    await page.waitForURL(/action=organization\.updated/);
    // The entries of before the search stay until its answer is there.
    await page.getByText('user.signed_up').first().waitFor({ state: 'detached' });
    await page.getByText(`→ ${HOSTILE}`).waitFor();
    expect(await page.locator('img[src=x]').count(), 'a name is text').toBe(0);
  });
});

test.each(['Viewer', 'Editor', 'Admin'] as const)(
  '%s sees what the role may do, and no more',
  async (role) => {
    const { page } = await rig.openAs(role, '/stores');
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) {
        refused.push(response.url());
      }
    });
    // Once without anything that was read before.
    await page.reload();
    await page.locator('h1').waitFor();
    for (const name of PAGES) {
      await moveTo(page, `/settings/${name}`, 'h1');
      const isOpen = role === 'Admin' || !FOR_ADMINS.includes(name);
      expect(await page.getByText('Only Admins see this page').count(), name).toBe(isOpen ? 0 : 1);
      expect(await page.locator(`nav a[href="/settings/${name}"]`).count(), name).toBe(isOpen ? 1 : 0);
    }
    for (const path of ['people/usr_none', 'webhooks/whk_none']) {
      await moveTo(page, `/settings/${path}`, 'h1, main p, [role=alert]');
      await page.getByText(role === 'Admin' ? 'NOT_FOUND' : 'Only Admins see this page').waitFor();
    }
    expect(refused, 'nothing is asked for that the role may not see').toEqual([]);
  },
);

test('all pages are accessible', async () => {
  const { page } = await rig.openAs('Admin', '/stores');
  const { id } = (await rig.admin.people.listUsers().toArray())[0]!;
  const webhook = await rig.admin.webhooks.create({
    url: 'https://hooks.example.com/',
    events: ['device.online'],
  });
  const more = [`people/${id}`, `webhooks/${webhook.id}`, 'people?invite=yes', 'api-keys?create=yes'];
  for (const look of looks(0)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/stores`);
    await page.locator('h1').waitFor();
    for (const path of [...PAGES, ...more]) {
      await moveTo(page, `/settings/${path}`, path.includes('=') ? '[role=dialog]' : 'h2');
      expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
    }
  }
});

const toBits = (letter: string) =>
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0');

/** The code of an authenticator app for a secret in base 32 (RFC 6238: SHA-1, 30 seconds, 6 digits). */
function oneTimeCode(secret: string): string {
  const bits = Array.from(secret, toBits).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const code = hash.readUInt32BE(hash[19]! & 15) & 0x7fffffff;
  return String(code % 1_000_000).padStart(6, '0');
}
