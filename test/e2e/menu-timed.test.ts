import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { HEIGHT, startMenuRig, MENU_SHORTCUT, WIDTH } from './menu-rig.ts';
import type { MenuRig } from './menu-rig.ts';
import { RESPONSES } from './fake-menu-runtime.ts';

/** A page whose clock only moves when a test advances it. */
let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
  await rig.page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await rig.page.clock.install({ time: 0 });
  const before = rig.messagesOfType('hello').length;
  await rig.page.reload();
  await waitUntil('the new page', () => rig.messagesOfType('hello').length > before);
  await rig.page.clock.pauseAt(600_000);
});
afterAll(() => rig.close());

async function openTimed(): Promise<void> {
  rig.respondWith('open', RESPONSES.open);
  await rig.page.keyboard.press(MENU_SHORTCUT);
  await rig.button('Cache').waitFor();
}

test.each([
  ['top left', 4, 4],
  ['bottom right', WIDTH - 4, HEIGHT - 4],
])('five taps %s open it, and it can be used by taps alone', async (_, x, y) => {
  for (let i = 0; i < 4; i++) {
    await rig.touch(x, y);
  }
  expect(await rig.menu().isVisible()).toBe(false);
  await rig.touch(x, y);
  await rig.touchOn(rig.button('Cache'));
  await rig.menu().getByText('12.3 GB').waitFor();
  await rig.touchOn(rig.button('Back'));
  await rig.touchOn(rig.button('Close'));
  await rig.menu().waitFor({ state: 'hidden' });
});

test('five slow taps do not open it', async () => {
  for (let i = 0; i < 8; i++) {
    await rig.touch(4, 4);
    await rig.page.clock.runFor(1_100);
  }
  expect(await rig.menu().isVisible()).toBe(false);
  await rig.page.clock.runFor(5_000);
});

test('closes a minute after the last key', async () => {
  await openTimed();
  const before = rig.requestsOfKind('close').length;
  await rig.page.clock.runFor(59_000);
  await rig.page.keyboard.press('ArrowRight');
  await rig.page.clock.runFor(59_000);
  expect(await rig.menu().isVisible()).toBe(true);
  await rig.page.clock.runFor(1_500);
  expect(await rig.menu().isVisible()).toBe(false);
  await waitUntil('the runtime to be notified', () => rig.requestsOfKind('close').length > before);
});

test('shows a test pattern for five minutes', async () => {
  await openTimed();
  await rig.button('Test pattern').click();
  await rig.page.clock.runFor(290_000);
  expect(await rig.menu().locator('canvas').isVisible()).toBe(true);
  await rig.page.clock.runFor(11_000);
  expect(await rig.menu().isVisible()).toBe(false);
});

test('counts down to the next try of a PIN', async () => {
  rig.respondWith('open', { ...RESPONSES.open, access: 'pin', retry_in_ms: 30_000 });
  await rig.page.keyboard.press(MENU_SHORTCUT);
  await rig.menu().getByText('Too many wrong PINs. Try again in 0:30.').waitFor();
  await rig.page.keyboard.type('4711');
  expect(await rig.button('5').isDisabled()).toBe(true);
  await rig.page.clock.runFor(20_000);
  await rig.menu().getByText('Try again in 0:10.').waitFor();
  await rig.page.clock.runFor(11_000);
  expect(await rig.button('5').isEnabled()).toBe(true);
  await rig.page.keyboard.press('Escape');
});

test('reports that the runtime is unavailable', async () => {
  await openTimed();
  rig.respondWith('cache', null);
  await rig.button('Cache').click();
  await rig.menu().getByText('One moment').waitFor();
  await rig.page.clock.runFor(46_000);
  expect(await rig.menu().locator('.menu-note').innerText()).toBe(
    'The player does not respond. Try again in a moment.',
  );
  await rig.page.keyboard.press('Escape');
  await rig.page.keyboard.press('Escape');
});
