import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { capabilitiesWithout } from '../../packages/cloud/test/support/capabilities.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsoleRig();
}, TIMEOUT_MS);
afterAll(() => rig.close());

/** A picture of one colour, as a file that a person chooses. */
const picture = async (name: string, background: string) => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 320, height: 180, channels: 3, background } })
    .png()
    .toBuffer(),
});

test('many files are uploaded at once, each with its step, and a refused one says why', async () => {
  const { page, complaints } = await rig.openAs('Editor', '/stores');
  await page.getByRole('link', { name: 'Content', exact: true }).click();
  await page.getByRole('heading', { name: 'No content yet' }).waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles([
      await picture('red.png', '#c00'),
      await picture('blue.png', '#00c'),
      { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('this is no picture') },
    ]);
  const uploads = page.getByRole('list', { name: 'Uploads' });
  await expect.poll(() => uploads.getByText('Ready').count(), { timeout: TIMEOUT_MS }).toBe(2);
  const failed = uploads.getByRole('listitem').filter({ hasText: 'notes.png' });
  await failed.getByText('Failed').waitFor();
  expect(await failed.locator('p').textContent()).toMatch(/\w+ .*\./);
  await page.getByRole('button', { name: 'Open red.png' }).waitFor();
  expect((await rig.admin.content.list().toArray()).map(({ name }) => name).toSorted()).toEqual([
    'blue.png',
    'red.png',
  ]);
  // The browser notes the refusal of the file that is no picture.
  expect(complaints.filter((text) => !text.includes('415'))).toEqual([]);
});

test('files that are dropped on the page are uploaded to the folder that is shown', async () => {
  const { id } = await rig.admin.folders.create({ name: 'Dropped' });
  const { page } = await rig.openAs('Editor', `/content?folder=${id}`);
  await page.getByText('This folder is empty.').waitFor();
  const { buffer } = await picture('', '#0a0');
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob('${buffer.toString('base64')}'), (char) => char.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }));
    for (const type of ['dragover', 'drop']) {
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector('main h1').dispatchEvent(event);
    }
  }`);
  await page.getByRole('button', { name: 'Open dropped.png' }).waitFor();
  expect((await rig.admin.content.list({ folder_id: id }).toArray()).map(({ name }) => name)).toEqual([
    'dropped.png',
  ]);
});

test('an upload that was begun before a reload continues where it was', async () => {
  const { page } = await rig.openAs('Editor', '/content');
  await page.getByRole('heading', { name: 'Content' }).waitFor();
  // Noise does not become smaller: several parts.
  const folder = await mkdtemp(join(tmpdir(), 'placard-upload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'noise.png');
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#000', noise } })
    .png()
    .toFile(file);
  const offsets: string[] = [];
  let isCut = true;
  await page.route('**/v1/content/uploads/*', async (route) => {
    if (route.request().method() === 'PATCH') {
      offsets.push(route.request().headers()['upload-offset'] ?? '');
      // The first part arrives, then the line is cut.
      if (isCut && offsets.length > 1) {
        return route.abort();
      }
    }
    return route.continue();
  });
  await page.locator('input[type=file]').setInputFiles(file);
  await expect.poll(() => offsets.length, { timeout: TIMEOUT_MS }).toBeGreaterThan(1);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  isCut = false;
  const before = offsets.length;
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('list', { name: 'Uploads' }).getByText('Ready').waitFor();
  expect(Number(offsets[before])).toBeGreaterThan(0);
});

describe('with a file that a playlist uses', () => {
  let assetId: string;
  beforeAll(async () => {
    const { buffer } = await picture('', '#fc0');
    const asset = await rig.admin.content.upload({
      file: new File([new Uint8Array(buffer)], 'menu.png'),
      name: '<b>Menu</b>',
    });
    assetId = asset.id;
    await rig.admin.playlists.create({ name: 'Lunch', items: [{ content_id: asset.id, duration: 10 }] });
  });

  test('folders are made, and a file that is moved into one can be moved back', async () => {
    const { page } = await rig.openAs('Editor', '/content');
    await page.getByRole('button', { name: '+ New folder' }).click();
    await page.getByLabel('Name of the folder').fill('Menus');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Menus' }).waitFor();
    await page.getByRole('button', { name: 'Open <b>Menu</b>' }).click();
    await page.getByRole('dialog').getByLabel('Folder').selectOption({ label: 'Menus' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is now in “Menus”').waitFor();
    expect((await rig.admin.content.get(assetId)).folder_id).toMatch(/^folder_/);
    await page.keyboard.press('Escape');
    await untilStored(page, 'PATCH', `/v1/content/${assetId}`, () =>
      page.getByRole('button', { name: 'Undo' }).click(),
    );
    expect((await rig.admin.content.get(assetId)).folder_id).toBeNull();
  });

  test('what somebody else has changed meanwhile is shown before it is overwritten', async () => {
    const { page } = await rig.openAs('Editor', `/content?file=${assetId}`);
    const tags = page.getByLabel('Tags');
    await tags.fill('typed');
    await rig.admin.content.update(assetId, { tags: ['elsewhere'] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this').waitFor();
    await page.getByRole('alert').getByText('elsewhere', { exact: true }).waitFor();
    expect(await tags.inputValue()).toBe('typed');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await untilStored(page, 'PATCH', `/v1/content/${assetId}`, () =>
      page.getByRole('button', { name: 'Save' }).click(),
    );
    expect((await rig.admin.content.get(assetId)).tags).toEqual(['typed']);
  });

  test('a file is replaced, after its playlists and screens were named', async () => {
    const before = await rig.admin.content.get(assetId);
    const [lunch] = await rig.admin.playlists.list({ search: 'Lunch' }).toArray();
    const { code } = await rig.startPairing('counter-1');
    await rig.admin.devices.pair({ code, name: 'Counter' });
    await rig.admin.playlists.deploy(lunch!.id, { targets: [{ type: 'all' }] });
    const { page, complaints } = await rig.openAs('Editor', `/content?file=${assetId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Replace the file' }).click();
    await dialog.getByText('Replace the file of “<b>Menu</b>”?').waitFor();
    await dialog.getByText('Lunch · 1 screen in the next 7 days').waitFor();
    const chosen = dialog.locator('input[type=file]');
    await chosen.setInputFiles({
      name: 'notes.png',
      mimeType: 'image/png',
      buffer: Buffer.from('no picture'),
    });
    const replacement = dialog.getByRole('list', { name: 'Replace the file' });
    await replacement.getByText('Failed').waitFor();
    expect(await replacement.locator('p').textContent()).toMatch(/\w+ .*\./);
    expect(await rig.admin.content.get(assetId)).toEqual(before);
    await dialog.getByRole('button', { name: 'Replace the file' }).click();
    await chosen.setInputFiles(await picture('menu of may.png', '#06c'));
    await replacement.getByText('menu of may.png → <b>Menu</b>').waitFor();
    await replacement.getByText('Ready').waitFor();
    const after = await rig.admin.content.get(assetId);
    expect(after).toMatchObject({ name: '<b>Menu</b>', width: 320, folder_id: before.folder_id });
    expect(after.sha256).not.toBe(before.sha256);
    await expect.poll(() => dialog.locator('img').getAttribute('src')).toBe(after.url);
    await page.keyboard.press('Escape');
    const tile = page.getByRole('button', { name: 'Open <b>Menu</b>' });
    await expect.poll(() => tile.locator('img').getAttribute('src')).toBe(after.thumbnail_url);
    expect(await page.getByRole('button', { name: 'Make a playlist of these' }).count()).toBe(0);
    expect(complaints.filter((text) => !text.includes('415'))).toEqual([]);
  });

  test('after a file was replaced, the screens that cannot play the new one are named', async () => {
    const media = join(import.meta.dirname, '../../packages/cloud/test/media');
    const bytes = await readFile(join(media, 'red-then-blue-avc.mp4'));
    const { id } = await rig.admin.content.upload({ file: new Blob([new Uint8Array(bytes)]), name: 'Clip' });
    const playlist = await rig.admin.playlists.create({ name: 'Clips', items: [{ content_id: id }] });
    const { code, takeToken } = await rig.startPairing('no-hevc');
    const screen = await rig.admin.devices.pair({ code, name: 'No HEVC' });
    await rig.report(await takeToken(), 'capabilities', capabilitiesWithout('hevc'));
    await rig.admin.playlists.deploy(playlist.id, { targets: [{ type: 'device', id: screen.id }] });
    const { page, complaints } = await rig.openAs('Editor', `/content?file=${id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'Clips' }).waitFor();
    expect(await dialog.getByText('cannot play').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Replace the file' }).click();
    await dialog.locator('input[type=file]').setInputFiles(join(media, 'blue-hevc.mp4'));
    await dialog.getByText('1 screen cannot play HEVC: No HEVC').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a person who is bound to stores is offered no replacement, which others might show', async () => {
    const { id } = await rig.admin.stores.create({ name: 'Harbour' });
    const { page } = await rig.openAs(await rig.addPerson('Editor', [id]), `/content?file=${assetId}`);
    await page.getByRole('link', { name: 'Lunch' }).waitFor();
    expect(await page.getByRole('button', { name: 'Replace the file' }).count()).toBe(0);
  });

  test('a Viewer sees where it is used and can change nothing', async () => {
    const { page } = await rig.openAs('Viewer', `/content?file=${assetId}`);
    await page.getByRole('link', { name: 'Lunch' }).waitFor();
    expect(await page.getByRole('dialog').getByLabel('Name').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open <b>Menu</b>' }).waitFor();
    expect(await page.getByRole('button', { name: /Upload|Replace|New folder|Delete|Save/ }).count()).toBe(0);
  });

  test('the pages are accessible', async () => {
    const { page, complaints } = await rig.openAs('Admin', '/stores');
    for (const look of looks(1)) {
      await chooseLook(page, look);
      await page.goto(`${rig.url}/stores`);
      await page.locator('h1').waitFor();
      for (const path of ['/content', '/content?view=list', `/content?file=${assetId}`]) {
        await moveTo(page, path, path.includes('file') ? '[role=dialog] form' : '#content img');
        expect(await findAccessibilityProblems(page), `${look.language} ${path}`).toEqual([]);
      }
      expect(complaints).toEqual([]);
    }
  });

  test('a deletion says which playlists would be empty, and is done only then', async () => {
    const { page } = await rig.openAs('Admin', `/content?file=${assetId}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Playlists that would be left empty: Lunch').waitFor();
    expect((await rig.admin.content.get(assetId)).id).toBe(assetId);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect(rig.admin.content.get(assetId)).rejects.toMatchObject({ code: 'CONTENT_NOT_FOUND' });
  });
});
