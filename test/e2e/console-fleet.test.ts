import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capabilitiesWithout } from '../../packages/cloud/test/support/capabilities.ts';
import { findAccessibilityProblems } from './console-looks.ts';
import { PASSWORD, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
const tokens = new Map<string, string>();
beforeAll(async () => {
  rig = await startConsoleRig();
  for (const name of ['Counter', 'Window', 'Door']) {
    const { code, takeToken } = await rig.startPairing(`SN-${name}`);
    await rig.admin.devices.pair({ code, name, tags: name === 'Door' ? [] : ['shop'] });
    const token = await takeToken();
    tokens.set(name, token);
    await rig.sendHeartbeat(token, name === 'Counter' ? ['disk.full'] : []);
  }
}, TIMEOUT_MS);
afterAll(() => rig.close());

test('what needs somebody is at the top with its advice, and leads to the screens', async () => {
  const { page, complaints } = await rig.openAs('Viewer', '/devices');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const causes = attention.getByRole('listitem');
  await causes.filter({ hasText: '3 online, behind their revision' }).waitFor();
  await causes.filter({ hasText: 'The disk is full.' }).getByRole('link', { name: 'Show them' }).click();
  await page.waitForURL(/\/devices\?fault=disk\.full$/);
  await page.getByText('1 device').waitFor();
  expect(await page.getByRole('link', { name: 'Counter' }).count()).toBe(1);
  expect(complaints).toEqual([]);
});

test('a fault may have any word as its code', async () => {
  await rig.sendHeartbeat(tokens.get('Window')!, ['__proto__', 'constructor']);
  const { page, complaints } = await rig.openAs('Viewer', '/devices');
  const causes = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  for (const code of ['__proto__', 'constructor']) {
    await causes.filter({ hasText: code }).getByText('does not know the fault').waitFor();
  }
  await page.getByRole('link', { name: 'Window' }).click();
  await page.getByText('constructor', { exact: true }).waitFor();
  await page.getByText('__proto__', { exact: true }).waitFor();
  await rig.sendHeartbeat(tokens.get('Window')!);
  expect(complaints).toEqual([]);
});

test('the devices that a filter finds are changed together, with progress', async () => {
  const { page, complaints } = await rig.openAs('Editor', '/devices?tag=shop');
  await page.getByRole('button', { name: 'Act on all 2' }).click();
  await page.getByLabel('Action').selectOption('add_tags');
  await page.getByLabel('Tags').fill('sale');
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('2 of 2 done').first().waitFor();
  const changed = await rig.admin.devices.list({ tag: 'sale' }).toArray();
  expect(changed.map(({ name }) => name).toSorted()).toEqual(['Counter', 'Window']);
  expect(complaints).toEqual([]);
});

test('a view is kept in the browser', async () => {
  const { page } = await rig.openAs('Viewer', '/devices?tag=shop&view=tiles');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of the view').fill('In the shop');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.goto(`${rig.url}/devices`);
  const hidden = page.getByRole('link', { name: 'Door' });
  await hidden.waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'In the shop', exact: true }).click();
  await page.waitForURL(/tag=shop/);
  // The rows of before stay until the page is drawn with the view.
  await expect.poll(() => hidden.count()).toBe(0);
  await page.getByRole('link', { name: 'Window' }).waitFor();
});

test('a picture of the screen is shown as soon as the screen has sent it', async () => {
  const [device] = await rig.admin.devices.list({ search: 'Door' }).toArray();
  const { page, complaints } = await rig.openAs('Editor', `/devices/${device!.id}`);
  await page.getByText('Nobody has taken a picture yet.').waitFor();
  await untilStored(page, 'POST', `/v1/devices/${device!.id}/screenshot`, () =>
    page.getByRole('button', { name: 'Take a picture' }).click(),
  );
  await page.getByText('The screen is asked for a picture.').waitFor();
  const { request } = await rig.admin.devices.getScreenshot(device!.id);
  const image = await sharp({ create: { width: 320, height: 180, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const send = async (cause: { command_id: string } | { fault_code: string }) => {
    const sent = await fetch(`${rig.url}/v1/player/screenshots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.get('Door')}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...cause,
        taken_at: new Date().toISOString(),
        current: null,
        image: image.toString('base64'),
      }),
    });
    expect(sent.status).toBe(200);
  };
  await send({ command_id: request!.id });
  const picture = page.getByAltText('What the screen showed', { exact: true });
  await picture.waitFor();
  await expect
    .poll(() => picture.evaluate((element) => 'naturalWidth' in element && element.naturalWidth))
    .toBe(320);
  await page.getByText('The player showed no content.').waitFor();
  await send({ fault_code: 'disk.full' });
  await page.getByAltText('What the screen showed when disk.full began').waitFor();
  expect(complaints).toEqual([]);
});

test('every area is reached by keyboard', async () => {
  const { page } = await rig.openAs('Viewer', '/devices');
  await page.getByRole('link', { name: 'Door' }).click();
  await page.getByRole('heading', { name: 'Commands' }).waitFor();
  // Without waiting for the page in between: the letter has to come within a second.
  const go = (letter: string) => Promise.all(['g', letter].map((key) => page.keyboard.press(key)));
  await go('d');
  await page.waitForURL(/\/devices$/);
  // Two areas have this letter.
  for (const area of ['alerts', 'analytics', 'alerts']) {
    await go('a');
    await page.waitForURL(new RegExp(`/${area}$`));
  }
  await page.keyboard.press('Control+k');
  const choice = page.getByRole('dialog').getByRole('button', { name: 'Devices' });
  await choice.waitFor();
  expect(await choice.isEnabled()).toBe(true);
});

test('a technician who is signed in pairs with the code of the QR, in at most five taps on a phone', async () => {
  const { code, takeToken } = await rig.startPairing('SN-PHONE');
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const { page } = await rig.openAs('Editor', `/pair?code=${code}`, phone);
  // One tap: the code is filled in, and nobody asks for a key.
  await page.getByRole('button', { name: 'Pair this screen' }).tap();
  await page.getByText('Paired. Waiting for the screen to respond…').waitFor();
  await rig.sendHeartbeat(await takeToken());
  await page.getByText('The screen has responded').waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('somebody who is not signed in may sign in instead of giving a key, and comes back with the code', async () => {
  const { email } = await rig.addPerson('Editor');
  const { code } = await rig.startPairing('SN-LINK');
  const { page } = await rig.openAs('nobody', `/pair?code=${code}`, {
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole('link', { name: 'Sign in with your account instead' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/pair\?code=/);
  expect(await page.getByLabel('Code on the screen').inputValue()).toBe(code);
});

test('before a deployment to many screens begins, those that cannot decode a video are named', async () => {
  const bytes = await readFile(join(import.meta.dirname, '../../packages/cloud/test/media/blue-hevc.mp4'));
  const video = await rig.admin.content.upload({ file: new Blob([new Uint8Array(bytes)]), name: 'Intro' });
  await rig.admin.playlists.create({ name: 'With HEVC', items: [{ content_id: video.id }] });
  await rig.report(tokens.get('Window') ?? '', 'capabilities', capabilitiesWithout('hevc'));
  const { page, complaints } = await rig.openAs('Editor', '/devices?tag=shop');
  await page.getByRole('button', { name: 'Act on all 2' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Action').selectOption('deploy');
  await dialog.getByLabel('Playlist', { exact: true }).selectOption({ label: 'With HEVC' });
  await dialog.getByText('1 screen cannot play HEVC: Window (Intro)').waitFor();
  expect(await findAccessibilityProblems(page)).toEqual([]);
  expect(await rig.admin.operations.list({ status: 'running' }).toArray(), 'nothing has begun').toEqual([]);
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByText('2 of 2 done').first().waitFor();
  expect(complaints).toEqual([]);
});
