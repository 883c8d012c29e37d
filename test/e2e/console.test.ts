import { createClient } from '@placard/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, PASSWORD, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

const THEMES = ['light', 'dark'] as const;

test('an invited person signs up, pairs a screen by its code, and sees it come online', async () => {
  const { url } = await rig.admin.people.createInvitation({ role: 'Editor', email: 'ada@example.com' });
  const { page, complaints } = await rig.openBrowser();
  await page.goto(url);
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: 'No screen yet' }).waitFor();
  const { code, takeToken } = await rig.startPairing('SN-1');
  let clicks = 0;
  const click = async (name: string) => {
    clicks += 1;
    await page.getByRole('button', { name, exact: true }).click();
  };
  await click('Pair a screen');
  await page.getByLabel('Code on the screen').fill(code.toLowerCase());
  await page.getByLabel('Name of the screen').fill('Shop window');
  await click('Pair');
  await page.getByText('“Shop window” is paired').waitFor();
  expect(clicks).toBeLessThanOrEqual(5);
  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: /Shop window/ });
  await row.getByText('Offline').waitFor();
  // Told by an event, without a reload.
  await rig.sendHeartbeat(await takeToken());
  await row.getByText('Online', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('a link leads there after signing in, and never to another site', async () => {
  const { email } = await rig.addPerson('Viewer');
  const { page } = await rig.openAs('nobody', '/devices?search=window');
  await page.waitForURL(/\/sign-in/);
  const signIn = async () => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('a wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await signIn();
  await page.waitForURL(/\/devices\?search=window$/);

  await page.context().clearCookies();
  await page.goto(`${rig.url}/sign-in?to=${encodeURIComponent('//evil.example/')}`);
  await signIn();
  await page.waitForURL(`${rig.url}/devices`);
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/devices');
});

test('an address without a page says so, in a browser', async () => {
  const { page } = await rig.openAs('Viewer', '/devices');
  const response = await page.goto(`${rig.url}/nowhere/at-all`);
  expect(response?.status()).toBe(404);
  await page.getByRole('heading', { name: 'There is nothing at this address.' }).waitFor();
  await page.getByRole('link').first().click();
  await page.waitForURL(`${rig.url}/devices`);
  const program = await fetch(`${rig.url}/nowhere`, { headers: { accept: '*/*' } });
  expect(await program.json()).toMatchObject({ error: { code: 'ROUTE_NOT_FOUND' } });
});

test('a session that is ended elsewhere leads to signing in, without a reload', async () => {
  const person = await rig.addPerson('Viewer');
  const { page } = await rig.openAs(person, '/devices');
  await page.getByRole('table').waitFor();
  const [user] = await rig.admin.people.listUsers({ search: person.email }).toArray();
  await rig.admin.people.endUserSessions(user!.id);
  await page.waitForURL(/\/sign-in\?to=/);
  // The address changes a moment before the page does.
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
});

// How soon: `live-updates.test.ts`.
test('many changes together are read about once a second, and the last one is seen', async () => {
  const { code } = await rig.startPairing('SN-BURST');
  const { id } = await rig.admin.devices.pair({ code, name: 'Burst 0' });
  const { page } = await rig.openAs('Viewer', '/devices');
  await page.getByRole('link', { name: 'Burst 0' }).waitFor();
  // Another key, because of the limit of requests per minute.
  const { key } = await rig.admin.apiKeys.create({ name: 'Burst', scope: 'Write' });
  const { devices } = createClient({ server: rig.url, apiKey: key });
  const readings: string[] = [];
  page.on('request', (request) => {
    // Faults are counted at long intervals.
    if (/\/v1\/(devices|timeline)\?(?!.*fault=)/.test(request.url())) {
      readings.push(request.url());
    }
  });
  const startedMs = performance.now();
  for (let count = 1; count <= 25; count += 1) {
    await devices.update(id, { name: `Burst ${count}` });
  }
  await page.getByRole('link', { name: 'Burst 25' }).waitFor();
  const seconds = Math.ceil((performance.now() - startedMs) / 1000);
  // The list, the number of those offline, and what they should show.
  expect(readings.length).toBeLessThanOrEqual(3 * (2 * seconds + 1));
  expect(new Set(readings).size).toBeLessThanOrEqual(3);
});

describe('with a device', () => {
  let deviceId: string;
  beforeAll(async () => {
    const { code, takeToken } = await rig.startPairing('SN-2');
    const device = await rig.admin.devices.pair({ code, name: '<img src=x onerror=alert(1)>' });
    deviceId = device.id;
    await rig.sendHeartbeat(await takeToken());
  });

  test('a name is text, whatever it contains', async () => {
    const { page, complaints } = await rig.openAs('Viewer', '/devices');
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).click();
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await page.evaluate('window.isSamePage'), 'the console is not loaded anew').toBe(true);
    expect(await page.locator('img[src=x]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a Viewer sees everything and can change nothing', async () => {
    const { page } = await rig.openAs('Viewer', `/devices/${deviceId}`);
    await page.getByRole('heading', { name: 'Commands' }).waitFor();
    expect(await page.getByRole('button', { name: /Pair a screen|Reboot|Refresh|Save/ }).count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
  });

  test('a command is followed until the screen has it', async () => {
    const { page } = await rig.openAs('Editor', `/devices/${deviceId}`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    const progress = page.getByText(/Waiting for the screen|Sent to the screen/);
    await progress.waitFor();
    expect((await rig.admin.commands.list({ device_id: deviceId }).toArray()).length).toBe(1);
  });

  test('what somebody else has changed meanwhile is not overwritten, and what was typed is kept', async () => {
    const { page } = await rig.openAs('Editor', `/devices/${deviceId}`);
    const name = page.getByLabel('Name', { exact: true });
    // That of the PIN is below.
    const save = page.getByRole('button', { name: 'Save' }).first();
    await name.fill('Typed here');
    await rig.admin.devices.update(deviceId, { name: 'Changed elsewhere' });
    await save.click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    expect(await name.inputValue()).toBe('Typed here');
    const theirs = page.getByRole('alert').getByRole('listitem');
    await expect
      .poll(() => theirs.allTextContents())
      .toEqual(expect.arrayContaining(['Changed elsewhere', 'No store', 'Landscape']));
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await save.click();
    await page.getByRole('heading', { name: 'Typed here' }).waitFor();
  });

  test('an Admin can remove it, after a question', async () => {
    const { code } = await rig.startPairing('SN-GONE');
    const { id } = await rig.admin.devices.pair({ code, name: 'Replaced' });
    const { page } = await rig.openAs('Admin', `/devices/${id}`);
    await page.getByRole('button', { name: 'Remove the device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove “Replaced”?' });
    await dialog.getByRole('button', { name: 'Remove the device' }).click();
    await page.waitForURL(`${rig.url}/devices`);
    await expect(rig.admin.devices.get(id)).rejects.toMatchObject({ code: 'DEVICE_NOT_FOUND' });
    expect(await page.getByRole('link', { name: 'Replaced' }).count()).toBe(0);
  });

  test('the search field follows the address, and typing is not overwritten by it', async () => {
    const { page } = await rig.openAs('Viewer', '/devices');
    const field = page.getByLabel('Search by name');
    await field.pressSequentially('nothing like this');
    await page.getByText('No device matches.').waitFor();
    expect(await field.inputValue()).toBe('nothing like this');
    await page.waitForURL(/search=nothing/);
    await page.getByRole('navigation').first().getByRole('link', { name: 'Devices' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    await field.press('a');
    await field.press('Backspace');
    await page.waitForURL((url) => url.search === '');
    expect(await field.inputValue()).toBe('');
  });

  test('what was typed is there again after a reload and a lost session, until it is given up, saved or signed out', async () => {
    const person = await rig.addPerson('Editor');
    const { page } = await rig.openAs(person, `/devices/${deviceId}`);
    const name = page.getByLabel('Name', { exact: true });
    const note = page.getByText(/Unsaved changes from .* restored/);
    const stored = () => page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
    const type = async (text: string) => {
      await name.fill(text);
      await page.getByLabel('New PIN').fill('471199');
    };
    await type('Half typed');
    await page.reload();
    await note.waitFor();
    expect(await name.inputValue()).toBe('Half typed');
    expect(await page.getByLabel('New PIN').inputValue()).toBe('');

    await type('Typed before the session ended');
    await page.context().clearCookies();
    await page.reload();
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await note.waitFor();
    expect(await name.inputValue()).toBe('Typed before the session ended');
    expect(await stored()).toContain('Typed before');
    for (const secret of ['471199', PASSWORD, person.session.value]) {
      expect(await stored(), 'secrets are kept nowhere').not.toContain(secret);
    }

    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await name.inputValue()).not.toContain('Typed before');
    expect(await stored()).not.toContain('Typed before');

    await type('Saved');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('heading', { name: 'Saved' }).waitFor();
    // The heading may be read again, because of the event of the change, before the form has its answer.
    await expect.poll(stored).not.toContain('Saved');
    await page.reload();
    await page.getByRole('heading', { name: 'Saved' }).waitFor();
    expect(await note.count()).toBe(0);

    await type('Left behind');
    await page.getByRole('button', { name: /^Editor/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await stored()).not.toContain('Left behind');
  });

  test('a dialog for something new is open after a reload, with what was typed', async () => {
    const { page } = await rig.openAs('Admin', '/devices');
    const dialog = page.getByRole('dialog');
    for (const [path, button, field] of [
      ['playlists', 'New playlist', 'Name'],
      ['schedules', 'New schedule', 'Name'],
      ['settings/api-keys', 'Create a key', 'Name of the key'],
      ['settings/people', 'Invite', /E-mail/],
    ] as const) {
      await moveTo(page, `/${path}`, 'h1');
      await page.getByRole('button', { name: button }).first().click();
      await dialog.getByLabel(field).fill(`${path.length}@example.com`);
      await page.reload();
      await dialog.getByText(/Unsaved changes from .* restored/).waitFor();
      expect(await dialog.getByLabel(field).inputValue(), path).toBe(`${path.length}@example.com`);
      await dialog.getByRole('button', { name: 'Discard' }).click();
      expect(await dialog.getByLabel(field).inputValue(), path).toBe('');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });

  test('what was typed before a reload does not overwrite what somebody else has saved since', async () => {
    const { page } = await rig.openAs('Editor', `/devices/${deviceId}`);
    await page.getByLabel('Name', { exact: true }).fill('Typed before the reload');
    await rig.admin.devices.update(deviceId, { name: 'Saved by somebody else' });
    await page.reload();
    await page.getByText(/Unsaved changes from .* restored/).waitFor();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    expect((await rig.admin.devices.get(deviceId)).name).toBe('Saved by somebody else');
  });

  test('on a phone every area is in the bar at the bottom, large enough for a thumb', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
    const { page } = await rig.openAs('Admin', '/devices', phone);
    const bar = page.getByRole('navigation', { name: 'Areas' });
    await bar.getByRole('button', { name: 'More' }).waitFor();
    const targets = [...(await bar.getByRole('link').all()), bar.getByRole('button', { name: 'More' })];
    expect(targets).toHaveLength(5);
    targets.push(page.getByRole('button', { name: /^Admin/ }));
    for (const target of targets) {
      const box = await target.boundingBox();
      expect(Math.min(box!.width, box!.height), await target.innerText()).toBeGreaterThanOrEqual(44);
    }
    await bar.getByRole('link', { name: 'Schedules' }).tap();
    await page.waitForURL(/\/schedules$/);
    for (const [name, path] of [
      ['Stores', 'stores'],
      ['Alerts', 'alerts'],
      ['Analytics', 'analytics'],
      ['Settings', 'settings/account'],
    ] as const) {
      await bar.getByRole('button').tap();
      const item = page.getByRole('menuitem', { name });
      expect((await item.boundingBox())!.height, name).toBeGreaterThanOrEqual(44);
      await item.tap();
      await page.waitForURL(new RegExp(`/${path}$`));
      await bar.getByRole('button', { name: `More: ${name}` }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(390);
    }
  });

  test('all pages are accessible', async () => {
    const { page, complaints } = await rig.openAs('Admin', '/stores');
    for (const look of looks(0)) {
      await chooseLook(page, look);
      await page.goto(`${rig.url}/stores`);
      await page.locator('h1').waitFor();
      for (const path of ['/devices', '/devices?pair=yes', `/devices/${deviceId}`]) {
        await moveTo(page, path, path.includes('pair') ? '[role=dialog]' : 'h1');
        expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
      }
    }
    expect(complaints).toEqual([]);
  });

  test.each(THEMES)('the pages before signing in are accessible, %s', async (colorScheme) => {
    const { page } = await rig.openAs('nobody', '/about');
    await page.emulateMedia({ colorScheme });
    await page.goto(`${rig.url}/sign-in`);
    await page.locator('h1').waitFor();
    for (const path of ['/reset-password#x', '/invitation#x', '/sign-in-link#x', '/sign-in']) {
      await moveTo(page, path, 'h1');
      expect(await findAccessibilityProblems(page), path).toEqual([]);
    }
  });
});
