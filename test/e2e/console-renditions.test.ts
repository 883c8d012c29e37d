import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { animation } from '../../packages/cloud/test/support/media.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { moveTo, startConsoleRig, TIMEOUT_MS, untilStored } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

const SETTING = 'Copies of files that screens cannot play';
const AUTOMATIC = 'Of each file that a screen has reported it cannot play';
const SECTION = 'For screens that cannot play this file';
const MAKE = 'Make a copy for these screens';
const AGAIN = 'Try again';
const IS_READY = 'There is a copy for screens that cannot play the file.';

let rig: ConsoleRig;
let hevcId: string;
let animationId: string;
beforeAll(async () => {
  // At the lowest priority encoders would take many times as long while others compute.
  rig = await startConsoleRig({ renditionLimits: { nicer: 0 } });
  const media = join(import.meta.dirname, '../../packages/cloud/test/media');
  hevcId = await upload('blue-hevc.mp4', await readFile(join(media, 'blue-hevc.mp4')));
  animationId = await upload('ticker.webp', await animation(4000, 20));
}, TIMEOUT_MS);
afterAll(() => rig.close());

async function upload(name: string, bytes: Buffer): Promise<string> {
  return (await rig.admin.content.upload({ file: new File([new Uint8Array(bytes)], name), name })).id;
}

test('an Admin chooses when copies are made, and sees what somebody else has chosen meanwhile', async () => {
  const { page, complaints } = await rig.openAs('Admin', `/content?file=${hevcId}`);
  await page.getByRole('button', { name: 'Replace the file' }).waitFor();
  expect(await page.getByRole('heading', { name: SECTION }).count(), 'none is made').toBe(0);

  await moveTo(page, '/settings/organization', 'form');
  const setting = page.getByLabel(SETTING);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  expect(await setting.inputValue()).toBe('off');
  await setting.selectOption({ label: AUTOMATIC });
  await rig.admin.organization.update({ renditions: 'on_demand' });
  await save.click();
  const conflict = page.getByRole('alert');
  await conflict.getByText(`${SETTING}: When somebody asks for one`).waitFor();
  await conflict.getByRole('button', { name: 'Keep mine' }).click();
  await untilStored(page, 'PATCH', '/v1/organization', () => save.click());
  expect((await rig.admin.organization.get()).renditions).toBe('automatic');
  // The browser notes the refusal of what was based on an earlier version.
  expect(complaints.filter((text) => !text.includes('412'))).toEqual([]);

  const { page: viewer } = await rig.openAs('Viewer', '/settings/organization');
  await viewer.getByText(SETTING).waitFor();
  await viewer.getByText(AUTOMATIC).waitFor();
});

test('an Editor asks for a copy and sees it being made, and a Viewer sees that there is one', async () => {
  await rig.admin.organization.update({ renditions: 'on_demand' });
  const { page: seen } = await rig.openAs('Viewer', `/content?file=${hevcId}`);
  await seen.getByRole('dialog').getByLabel('Name').waitFor();
  expect(await seen.getByRole('heading', { name: SECTION }).count(), 'nobody has asked for one').toBe(0);

  const { page, complaints } = await rig.openAs('Editor', `/content?file=${hevcId}`);
  const section = page.locator('section', { has: page.getByRole('heading', { name: SECTION }) });
  await section.getByRole('button', { name: MAKE }).click();
  await section.getByRole('status').waitFor();
  await section.getByText(IS_READY).waitFor();
  expect(await section.getByRole('button').count()).toBe(0);
  expect(await rig.admin.content.listRenditions(hevcId)).toMatchObject([{ state: 'ready' }]);
  expect(complaints).toEqual([]);

  const { page: viewer } = await rig.openAs('Viewer', `/content?file=${hevcId}`);
  await viewer.getByText(IS_READY).waitFor();
  expect(await viewer.getByRole('button', { name: AGAIN }).count()).toBe(0);
});

test('a copy that cannot be made says why, and is tried again when somebody asks', async () => {
  await rig.admin.organization.update({ renditions: 'on_demand' });
  const wantedAt = async () => (await rig.admin.content.listRenditions(animationId))[0]?.wanted_at;
  const { page } = await rig.openAs('Editor', `/content?file=${animationId}`);
  const section = page.locator('section', { has: page.getByRole('heading', { name: SECTION }) });
  await section.getByRole('button', { name: MAKE }).click();
  const reason = section.getByText('An animation cannot be converted.');
  await reason.waitFor();
  const before = await wantedAt();
  await untilStored(page, 'POST', `/v1/content/${animationId}/renditions`, () =>
    section.getByRole('button', { name: AGAIN }).click(),
  );
  expect(await wantedAt()).not.toBe(before);
  await reason.waitFor();

  const { page: viewer } = await rig.openAs('Viewer', `/content?file=${animationId}`);
  await viewer.getByText('An animation cannot be converted.').waitFor();
  expect(await viewer.getByRole('button', { name: AGAIN }).count()).toBe(0);
});

test('the section is accessible', async () => {
  await rig.admin.organization.update({ renditions: 'on_demand' });
  const { page, complaints } = await rig.openAs('Admin', '/stores');
  for (const look of looks(0)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/stores`);
    await page.locator('h1').waitFor();
    for (const id of [hevcId, animationId]) {
      await moveTo(page, `/content?file=${id}`, '[role=dialog] section h3');
      expect(await findAccessibilityProblems(page), `${look.language} ${id}`).toEqual([]);
    }
  }
  expect(complaints).toEqual([]);
});
