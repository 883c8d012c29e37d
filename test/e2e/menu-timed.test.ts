import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { HEIGHT, startMenuRig, SUMMONS, WIDTH, type MenuRig } from './menu-rig.ts';
import { ANSWERS } from './menu-runtime.ts';

/** Its page's time goes on only when it is told to. */
let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
  await rig.page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await rig.page.clock.install({ time: 0 });
  const before = rig.heard('hello').length;
  await rig.page.reload();
  await until('the new page', () => rig.heard('hello').length > before);
  await rig.page.clock.pauseAt(600_000);
});
afterAll(() => rig.close());

async function openTimed(): Promise<void> {
  rig.answer('open', ANSWERS.open);
  await rig.page.keyboard.press(SUMMONS);
  await rig.named('Cache').waitFor();
}

it.each([
  ['top left', 4, 4],
  ['bottom right', WIDTH - 4, HEIGHT - 4],
])('five taps %s open it, and taps do the rest', async (_, x, y) => {
  for (let i = 0; i < 4; i++) await rig.touch(x, y);
  expect(await rig.menu().isVisible()).toBe(false);
  await rig.touch(x, y);
  await rig.touchOn(rig.named('Cache'));
  await rig.menu().getByText('12.3 GB').waitFor();
  await rig.touchOn(rig.named('Back'));
  await rig.touchOn(rig.named('Close'));
  await rig.menu().waitFor({ state: 'hidden' });
});

it('five taps that take too long do not open it', async () => {
  for (let i = 0; i < 8; i++) {
    await rig.touch(4, 4);
    await rig.page.clock.runFor(1_100);
  }
  expect(await rig.menu().isVisible()).toBe(false);
  await rig.page.clock.runFor(5_000);
});

it('closes after a minute, counted from the last key', async () => {
  await openTimed();
  const before = rig.asked('close').length;
  await rig.page.clock.runFor(59_000);
  await rig.page.keyboard.press('ArrowRight');
  await rig.page.clock.runFor(59_000);
  expect(await rig.menu().isVisible()).toBe(true);
  await rig.page.clock.runFor(1_500);
  expect(await rig.menu().isVisible()).toBe(false);
  await until('the runtime to hear of it', () => rig.asked('close').length > before);
});

it('leaves a test picture up for five minutes', async () => {
  await openTimed();
  await rig.named('Test picture').click();
  await rig.page.clock.runFor(290_000);
  expect(await rig.menu().locator('canvas').isVisible()).toBe(true);
  await rig.page.clock.runFor(11_000);
  expect(await rig.menu().isVisible()).toBe(false);
});

it('counts down to the next try of a PIN', async () => {
  rig.answer('open', { ...ANSWERS.open, access: 'pin', retry_in_ms: 30_000 });
  await rig.page.keyboard.press(SUMMONS);
  await rig.menu().getByText('Too many wrong PINs. Try again in 0:30.').waitFor();
  await rig.page.keyboard.type('4711');
  expect(await rig.named('5').isDisabled()).toBe(true);
  await rig.page.clock.runFor(20_000);
  await rig.menu().getByText('Try again in 0:10.').waitFor();
  await rig.page.clock.runFor(11_000);
  expect(await rig.named('5').isEnabled()).toBe(true);
  await rig.page.keyboard.press('Escape');
});

it('says so when the runtime is away', async () => {
  await openTimed();
  rig.answer('cache', null);
  await rig.named('Cache').click();
  await rig.menu().getByText('One moment').waitFor();
  await rig.page.clock.runFor(46_000);
  expect(await rig.menu().locator('.menu-note').innerText()).toBe(
    'The player does not answer just now. Try again in a moment.',
  );
  await rig.page.keyboard.press('Escape');
  await rig.page.keyboard.press('Escape');
});
