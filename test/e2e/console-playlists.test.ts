import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capabilitiesWithout } from '../../packages/cloud/test/support/capabilities.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
/** Content by its name, which is its colour. */
const assets = new Map<string, string>();
beforeAll(async () => {
  rig = await startConsoleRig();
  for (const name of ['red', 'lime', 'blue']) {
    const create = { width: 320, height: 180, channels: 3, background: name } as const;
    const file = new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]);
    assets.set(name, (await rig.admin.content.upload({ file, name })).id);
  }
}, TIMEOUT_MS);
afterAll(() => rig.close());

const makePlaylist = (name: string, colours: readonly string[], duration = 10) =>
  rig.admin.playlists.create({
    name,
    items: colours.map((colour) => ({ content_id: assets.get(colour) ?? '', duration })),
  });
const namesOf = async (id: string) =>
  (await rig.admin.playlists.get(id)).items.map(({ content }) => content.name);
const save = (page: Page, id: string) =>
  untilStored(page, 'PATCH', `/v1/playlists/${id}`, () => page.getByRole('button', { name: 'Save' }).click());

test('a playlist is made, filled in the chosen order, and says how long a pass is', async () => {
  const { page, complaints } = await rig.openAs('Editor', '/stores');
  await page.getByRole('link', { name: 'Playlists', exact: true }).click();
  await page.getByRole('heading', { name: 'No playlist yet' }).waitFor();
  await page.getByRole('button', { name: 'New playlist' }).click();
  await page.getByLabel('Name').fill('Lunch');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Nothing in it yet' }).waitFor();
  await page.getByRole('button', { name: 'Add content' }).click();
  const picker = page.getByRole('dialog');
  await picker.getByRole('button', { name: 'blue' }).click();
  await picker.getByRole('button', { name: 'red' }).click();
  await picker.getByRole('button', { name: 'Add 2' }).click();
  await page.getByLabel('Seconds of red').fill('65');
  await page.getByText('One pass: 1:15').waitFor();
  await page.getByText('Saving changes no screen now.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await namesOf(id)).toEqual(['blue', 'red']);
  expect((await rig.admin.playlists.get(id)).total_duration).toBe(75);
  expect(complaints).toEqual([]);
});

test('the order is changed with the keyboard alone, and a removed item can be put back', async () => {
  const { id } = await makePlaylist('By keyboard', ['red', 'lime', 'blue']);
  const { page } = await rig.openAs('Editor', `/playlists/${id}`);
  const items = page.getByRole('list', { name: 'Items' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Move red', exact: true }).focus();
  await page.keyboard.press('Space');
  await page.getByText('red: position 1 of 3').waitFor({ state: 'attached' });
  // The drag library measures the list and listens for further keys in a timer of its own, which was set before this one.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await page.keyboard.press('ArrowDown');
  await page.getByText('red: position 2 of 3').waitFor({ state: 'attached' });
  await page.keyboard.press('Space');
  await expect
    .poll(async () => (await items.allTextContents()).map((text) => /red|lime|blue/.exec(text)?.[0]))
    .toEqual(['lime', 'red', 'blue']);
  await page.getByRole('button', { name: 'Remove blue' }).click();
  expect(await items.count()).toBe(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await items.count()).toBe(3);
  await save(page, id);
  expect(await namesOf(id)).toEqual(['lime', 'red', 'blue']);
});

test('the order is changed by dragging', async () => {
  const { id } = await makePlaylist('By dragging', ['red', 'lime', 'blue']);
  const { page } = await rig.openAs('Editor', `/playlists/${id}`);
  const from = (await page.getByRole('button', { name: 'Move blue', exact: true }).boundingBox())!;
  const to = (await page.getByRole('button', { name: 'Move red', exact: true }).boundingBox())!;
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(from.x + 8, from.y - 10, { steps: 4 });
  await page.mouse.move(to.x + 8, to.y + 4, { steps: 8 });
  await page.getByText('blue: position 1 of 3').waitFor({ state: 'attached' });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  await page.reload();
  await page.getByText(/Unsaved changes from .* restored/).waitFor();
  await save(page, id);
  expect(await namesOf(id)).toEqual(['blue', 'red', 'lime']);
});

test('weights are shown as shares in per cent', async () => {
  const { id } = await makePlaylist('Weighted', ['red', 'lime']);
  const { page } = await rig.openAs('Editor', `/playlists/${id}`);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('weighted');
  await page.getByText('Items come the more often the higher their weight is.').waitFor();
  await page.getByLabel('Weight of red').fill('3');
  await page.getByText('75 % of the plays').waitFor();
  await page.getByText('25 % of the plays').waitFor();
  await page.getByLabel('Weight of lime').fill('1001');
  await page.getByText('Between 1 and 1,000').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
});

test('what somebody else has changed meanwhile is shown, and neither is lost unseen', async () => {
  const { id } = await makePlaylist('Shared', ['red']);
  const { page } = await rig.openAs('Editor', `/playlists/${id}`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Typed here');
  await rig.admin.playlists.update(id, { name: 'Changed elsewhere' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this').waitFor();
  await page.getByRole('alert').getByText('Changed elsewhere', { exact: true }).waitFor();
  expect(await name.inputValue()).toBe('Typed here');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Typed here' }).waitFor();
});

test("the preview shows the items one after the other, on the player's own stage", async () => {
  const { id } = await makePlaylist('Preview', ['red', 'lime'], 1);
  const { page, complaints } = await rig.openAs('Viewer', `/playlists/${id}`);
  const stage = page.getByRole('img', { name: 'Preview' });
  const colour = async () => {
    const { data } = await sharp(await stage.screenshot())
      .resize(1, 1)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return ['red', 'lime', 'blue'][[...data].indexOf(Math.max(...data))];
  };
  await expect.poll(colour, { timeout: TIMEOUT_MS }).toBe('red');
  await expect.poll(colour, { timeout: TIMEOUT_MS }).toBe('lime');
  await expect.poll(colour, { timeout: TIMEOUT_MS }).toBe('red');
  expect(await stage.locator('.layer').count()).toBe(2);
  await page.getByRole('button', { name: 'Stop' }).click();
  expect(await stage.count()).toBe(0);
  expect(complaints).toEqual([]);
});

describe('with a screen', () => {
  let id: string;
  beforeAll(async () => {
    const { code } = await rig.startPairing('SN-1');
    await rig.admin.devices.pair({ code, name: 'Shop window', tags: ['window'] });
    ({ id } = await makePlaylist('Deployed', ['red', 'lime']));
  });

  test('deploying says first which screens change, and afterwards only what they have said', async () => {
    const { page, complaints } = await rig.openAs('Editor', `/playlists/${id}`);
    await page.getByText('No screen shows it by deployment.').waitFor();
    await page.getByRole('button', { name: 'Deploy' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Screens that change what they show: 1').waitFor();
    await dialog.getByLabel('Which screens').selectOption('tag');
    await dialog.getByLabel('Tag').fill('nowhere');
    await dialog.getByText('No screen changes what it shows').waitFor();
    await dialog.getByLabel('Tag').fill('window');
    await dialog.getByText('Shop window').waitFor();
    expect(await rig.admin.playlists.listDeployments({ playlist_id: id }).toArray()).toEqual([]);
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    // The screen has said nothing, so nothing is called showing.
    await page.getByText('On its way: 0 of 1 screens have it').waitFor();
    expect(await page.getByText(/^Showing/).count()).toBe(0);
    const [deployment] = await rig.admin.playlists.listDeployments({ playlist_id: id }).toArray();
    expect(deployment?.targets).toEqual([{ type: 'tag', value: 'window' }]);
    // Where the device appears, so does a picture of what it shows.
    await page.getByRole('link', { name: 'Shop window' }).click();
    await page.locator('section', { hasText: 'Deployed' }).getByRole('presentation').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('a Viewer sees everything and can change nothing', async () => {
    const { page } = await rig.openAs('Viewer', `/playlists/${id}`);
    await page.getByText('One pass: 0:20').waitFor();
    expect(await page.getByLabel('Seconds of red').isDisabled()).toBe(true);
    const buttons = page.getByRole('button', { name: /Deploy|Delete|Add content|Move|Remove|Save/ });
    expect(await buttons.count()).toBe(0);
    await page.getByRole('link', { name: 'Playlists', exact: true }).click();
    await page.getByRole('link', { name: 'Deployed' }).waitFor();
    expect(await page.getByRole('button', { name: 'New playlist' }).count()).toBe(0);
  });

  test('the pages are accessible', async () => {
    const { page, complaints } = await rig.openAs('Admin', '/stores');
    for (const look of looks(2)) {
      await chooseLook(page, look);
      await page.goto(`${rig.url}/stores`);
      await page.locator('h1').waitFor();
      for (const path of ['/playlists', `/playlists/${id}`]) {
        await moveTo(page, path, path === '/playlists' ? '#content ul a' : '#content ol li');
        expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
      }
      await page.locator('header:has(h1) button').last().click();
      await page.locator('[role=dialog] [role=status]').waitFor();
      expect(await findAccessibilityProblems(page), `${look.language} deploy`).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });
});

test('a video that screens cannot decode is marked where it is deployed, and then in the playlist', async () => {
  const bytes = await readFile(join(import.meta.dirname, '../../packages/cloud/test/media/blue-hevc.mp4'));
  const video = await rig.admin.content.upload({ file: new Blob([new Uint8Array(bytes)]), name: 'Intro' });
  const items = [{ content_id: video.id }, { content_id: assets.get('red') ?? '', duration: 10 }];
  const { id } = await rig.admin.playlists.create({ name: 'With HEVC', items });
  const { code, takeToken } = await rig.startPairing('SN-HEVC');
  const screen = await rig.admin.devices.pair({ code, name: 'No HEVC' });
  await rig.report(await takeToken(), 'capabilities', capabilitiesWithout('hevc'));

  const { page, complaints } = await rig.openAs('Editor', `/playlists/${id}`);
  const item = page.getByRole('list', { name: 'Items' }).getByRole('listitem').first();
  await item.getByText('Intro').waitFor();
  const warning = '1 screen cannot play HEVC: No HEVC';
  expect(await page.getByText(warning).count()).toBe(0);
  await page.getByRole('button', { name: 'Deploy' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${warning} (Intro)`).waitFor();
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Deploy' }).click();
  // It says the same.
  await dialog.waitFor({ state: 'detached' });
  await item.getByText(warning).waitFor();
  expect(await page.getByText(warning).count()).toBe(1);
  expect(complaints).toEqual([]);

  await page.goto(`${rig.url}/devices/${screen.id}`);
  await page.getByText('H.264 4K 60p, H.264 4K 60p 10 bit, VP9 4K 60p').waitFor();
});
