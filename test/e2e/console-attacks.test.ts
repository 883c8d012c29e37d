import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
const button = (name: string) => ({ name, exact: true });

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
