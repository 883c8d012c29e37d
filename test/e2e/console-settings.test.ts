import { createHmac } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, PASSWORD, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

const HOSTILE = '<img src=x onerror=alert(1)>';
/** Whether the page has the name, as text or in a field. */
const FIND_HOSTILE_TEXT = `document.body.innerText.includes('${HOSTILE}') ||
  [...document.querySelectorAll('input, option')].some((each) => (each.label || each.value).includes('${HOSTILE}'))`;
const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
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
    await page.getByRole('button', button('Save')).click();
    await expect.poll(async () => (await rig.admin.organization.get()).name).toBe('Mine');

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
    await page.getByRole('button', button('Save')).click();
    await expect
      .poll(async () => (await rig.admin.organization.get()).name, { timeout: TIMEOUT_MS })
      .toBe(HOSTILE);
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

describe('attacks', () => {
  test('every name that can be typed is text on every page that shows it', async () => {
    const hostile = await makeHostileNames();
    const { page, complaints } = await rig.openAs('Admin', '/settings/account');
    page.on('dialog', (dialog) => {
      complaints.push(`a script has opened a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.evaluate(
      (name) => localStorage.setItem('placard.views', JSON.stringify([{ name, search: { search: name } }])),
      HOSTILE,
    );
    await page.reload();
    await page.locator('h1').waitFor();
    const isShown = async (where: string) => {
      await expect
        .poll(async () => page.evaluate(FIND_HOSTILE_TEXT), { timeout: TIMEOUT_MS, message: where })
        .toBe(true);
      expect(await page.locator('img[src=x]').count(), where).toBe(0);
    };
    for (const path of hostile.paths) {
      // So that nothing of the page before is mistaken for it.
      await moveTo(page, '/settings/about', 'h1');
      await moveTo(page, `/${path}`, /edit=|remove=|file=|invite=/.test(path) ? '[role=dialog]' : 'h1');
      await isShown(path);
    }
    await moveTo(page, `/content?file=${hostile.assetId}`, '[role=dialog]');
    await page.getByRole('dialog').getByRole('button', button('Delete')).click();
    await page.getByRole('dialog').getByText(`Delete “${HOSTILE}”?`).waitFor();
    await isShown('deleting content');
    await moveTo(page, `/playlists/${hostile.playlistId}`, '#content ol li');
    await page.getByRole('button', button('Deploy')).click();
    await page.getByRole('dialog').getByLabel('Which screens').selectOption('store');
    await isShown('deploying');
    await page.keyboard.press('Escape');
    await moveTo(page, '/devices', 'h1');
    await page.getByRole('button', button('Views')).click();
    await page.getByRole('dialog').getByRole('button', button(HOSTILE)).waitFor();
    await isShown('saved views');
    // These load their page anew.
    await page.goto(`${rig.url}/settings/people?invite=yes`);
    await page.getByRole('dialog').getByLabel('Only for some stores').check();
    await isShown('inviting');
    await page.goto(`${rig.url}/pair`);
    await isShown('pairing');
    const signedOut = await rig.openAs('nobody', hostile.invitation);
    await signedOut.page.getByText(`You are invited to ${HOSTILE}`).waitFor();
    await isShown('invitation');
    const bound = await rig.openAs(hostile.person, '/settings/account');
    await bound.page.getByText(HOSTILE).first().waitFor();
    await isShown('own account');
    expect(complaints).toEqual([]);
  });

  test('a page of another site can neither show the console nor change anything with the session', async () => {
    const { page } = await rig.openAs('Admin', '/settings/account');
    // Another host: cookies are for the address of the cloud, which this page sends requests to.
    await page.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${rig.url}/settings/account"></iframe>`,
      }),
    );
    await page.goto('http://evil.example/');
    const frame = page.frames().find((each) => each !== page.mainFrame());
    await frame?.waitForLoadState('load').catch(() => {});
    expect(await frame?.locator('h1').count()).toBe(0);
    const before = (await rig.admin.apiKeys.list().toArray()).length;
    for (const type of ['text/plain', 'application/json']) {
      await page
        .evaluate(
          ([url, contentType]) =>
            fetch(`${url}/v1/api-keys`, {
              method: 'POST',
              credentials: 'include',
              mode: contentType === 'text/plain' ? 'no-cors' : 'cors',
              headers: { 'content-type': contentType! },
              body: JSON.stringify({ name: 'evil', scope: 'Admin' }),
            }).then(() => null),
          [rig.url, type],
        )
        .catch(() => {});
    }
    expect((await rig.admin.apiKeys.list().toArray()).length).toBe(before);
  });

  test('a session that somebody has put into the browser is not the one after signing in', async () => {
    const person = await rig.addPerson('Viewer');
    const { page } = await rig.openAs(person, '/sign-in');
    const [planted] = (await page.context().cookies()).filter(({ name }) => name.includes('session_token'));
    expect(planted!.value).toBe(person.session.value);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/devices$/);
    const [after] = (await page.context().cookies()).filter(({ name }) => name.includes('session_token'));
    expect(after!.value).not.toBe(planted!.value);
    expect(await rig.askWith(person.session), 'the planted one has ended').toBe(401);
  });
});

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

/** An organization in which everything that has a name has this one; with the pages that show it. */
async function makeHostileNames() {
  const { admin } = rig;
  await admin.organization.update({ name: HOSTILE });
  const store = await admin.stores.create({
    name: HOSTILE,
    address: HOSTILE,
    city: HOSTILE,
    region: HOSTILE,
    country: HOSTILE,
    contact: HOSTILE,
    tags: [HOSTILE],
  });
  const folder = await admin.folders.create({ name: HOSTILE });
  const picture = { width: 32, height: 18, channels: 3, background: 'red' } as const;
  const asset = await admin.content.upload({
    file: new Blob([new Uint8Array(await sharp({ create: picture }).png().toBuffer())]),
    name: HOSTILE,
    tags: HOSTILE,
  });
  const playlist = await admin.playlists.create({
    name: HOSTILE,
    items: [{ content_id: asset.id, duration: 10 }],
  });
  const { code, takeToken } = await rig.startPairing('SN-XSS', { hostname: HOSTILE, model: HOSTILE });
  const device = await admin.devices.pair({ code, name: HOSTILE, store_id: store.id, tags: [HOSTILE] });
  const schedule = await admin.schedules.create({
    name: HOSTILE,
    targets: [
      { type: 'store', id: store.id },
      { type: 'tag', value: HOSTILE },
      { type: 'device', id: device.id },
    ],
    rules: [{ playlist_id: playlist.id, start_time: '00:00', end_time: '24:00', days: [...EVERY_DAY] }],
  });
  await admin.playlists.deploy(playlist.id, { targets: [{ type: 'tag', value: HOSTILE }] });
  const token = await takeToken();
  await rig.sendHeartbeat(token, [HOSTILE]);
  await rig.sendPlays(token, [{ content_id: asset.id, at_ms: Date.now() - 60_000 }]);
  await admin.apiKeys.create({ name: HOSTILE, scope: 'Read' });
  const webhook = await admin.webhooks.create({
    url: `https://hooks.example.com/?${HOSTILE}`,
    events: ['device.online'],
  });
  const invited = await admin.people.createInvitation({ role: 'Viewer', stores: [store.id] });
  const person = await rig.addPerson('Viewer', [store.id]);
  const [user] = await admin.people.listUsers({ search: person.email }).toArray();
  await admin.people.updateUser(user!.id, { name: HOSTILE });
  return {
    person,
    assetId: asset.id,
    playlistId: playlist.id,
    invitation: invited.url.slice(rig.url.length),
    paths: [
      'devices',
      'devices?view=tiles',
      `devices?store=${store.id}`,
      `devices/${device.id}`,
      'content',
      'content?view=list',
      `content?folder=${folder.id}`,
      `content?file=${asset.id}`,
      'playlists',
      `playlists/${playlist.id}`,
      'schedules',
      `schedules?store=${store.id}&at=2026-12-24T18:00`,
      `schedules/${schedule.id}`,
      'stores',
      `stores?edit=${store.id}`,
      `stores?remove=${store.id}`,
      'analytics',
      'analytics?by=device',
      'analytics?by=store',
      `analytics?device=${device.id}&content=${asset.id}`,
      'settings/people',
      `settings/people/${user!.id}`,
      'settings/api-keys',
      'settings/webhooks',
      `settings/webhooks/${webhook.id}`,
      'settings/audit-log',
      'settings/organization',
    ],
  };
}

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
