import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { HEIGHT, startMenuRig, WIDTH } from './menu-rig.ts';
import type { MenuRig } from './menu-rig.ts';
import { configure } from './screen-fixtures.ts';

let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
});
afterAll(() => rig.close());
beforeEach(() => rig.resetPage());

const pattern = (kind: string) => rig.menu().locator(`canvas[data-pattern=${kind}]`);
const CANVAS = `document.querySelector('canvas.pattern')`;

describe('the test patterns', () => {
  test('have the resolution of the panel, in every orientation', async () => {
    await rig.openByKeyboard();
    await rig.button('Test pattern').click();
    await pattern('geometry').waitFor();
    expect(await rig.page.evaluate(`[${CANVAS}.width, ${CANVAS}.height]`)).toEqual([WIDTH, HEIGHT]);
    await rig.press('Escape');
    await rig.rotateToPortrait('Technician menu');
    await rig.button('Test pattern').click();
    await pattern('geometry').waitFor();
    expect(await rig.page.evaluate(`[${CANVAS}.width, ${CANVAS}.height]`)).toEqual([HEIGHT, WIDTH]);
  });

  test('are redrawn when the orientation or the resolution changes', async () => {
    await rig.openByKeyboard();
    await rig.button('Test pattern').click();
    await pattern('geometry').waitFor();
    const pixels = () => rig.page.evaluate(`[${CANVAS}.width, ${CANVAS}.height].join()`);
    rig.send(configure({ orientation: 'portrait' }));
    await waitUntil('the turned picture', async () => (await pixels()) === `${HEIGHT},${WIDTH}`);
    await rig.page.setViewportSize({ width: 800, height: 600 });
    await waitUntil('the smaller picture', async () => (await pixels()) === '600,800');
    expect(await pattern('geometry').isVisible()).toBe(true);
  });

  test('change with the arrow keys, and the motion pattern moves', async () => {
    await rig.openByKeyboard();
    await rig.button('Test pattern').click();
    for (const kind of ['geometry', 'colours', 'lines']) {
      await pattern(kind).waitFor();
      await rig.press('ArrowRight');
    }
    await pattern('motion').waitFor();
    const first = await rig.page.evaluate(`${CANVAS}.toDataURL()`);
    await waitUntil(
      'the picture to move',
      async () => (await rig.page.evaluate(`${CANVAS}.toDataURL()`)) !== first,
    );
    await rig.press('ArrowRight');
    await pattern('geometry').waitFor();
    await rig.press('ArrowLeft');
    await pattern('motion').waitFor();
    await rig.press('Escape');
    await rig.heading('Technician menu').waitFor();
    expect(await rig.focused()).toBe('Test pattern');
  });

  test('draw lines one pixel wide', async () => {
    await rig.openByKeyboard();
    await rig.button('Test pattern').click();
    await rig.press('ArrowRight');
    await rig.press('ArrowRight');
    await pattern('lines').waitFor();
    const row = await rig.page.evaluate(
      `[...${CANVAS}.getContext('2d').getImageData(0, 0, 6, 1).data].filter((_, i) => i % 4 === 0)`,
    );
    expect(row).toEqual([255, 0, 255, 0, 255, 0]);
  });

  test('end after the last one when tapped, because touch has no "back" key', async () => {
    await rig.openByKeyboard();
    await rig.button('Test pattern').click();
    for (const kind of ['geometry', 'colours', 'lines', 'motion']) {
      await pattern(kind).waitFor();
      await rig.touch(WIDTH / 2, HEIGHT / 2);
    }
    await rig.heading('Technician menu').waitFor();
    expect(await rig.menu().locator('canvas').count()).toBe(0);
  });
});
