import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startMenuRig, type MenuRig } from './menu-rig.ts';
import { ANSWERS, refused } from './menu-runtime.ts';

let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
});
afterAll(() => rig.close());
beforeEach(() => rig.freshPage());

describe('the PIN', () => {
  beforeEach(() => rig.opened({ access: 'pin' }));

  it('is typed, and opens the menu', async () => {
    await rig.openByKeys('Enter the PIN');
    await rig.page.keyboard.type('47119');
    await rig.press('Backspace');
    expect(await rig.menu().getByRole('img').getAttribute('aria-label')).toBe('4 digits entered');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.asked('unlock')).toEqual([{ kind: 'unlock', pin: '4711' }]);
    expect(await rig.named('Reboot box').isEnabled()).toBe(true);
  });

  it('is tapped, or steered to with the arrows', async () => {
    rig.answer('unlock', refused('pin_wrong'));
    await rig.openByKeys('Enter the PIN');
    for (const digit of ['1', '2', '3', '4']) await rig.touchOn(rig.named(digit));
    await rig.touchOn(rig.named('OK'));
    await rig.menu().getByText('This PIN is wrong.').waitFor();
    // Begins at the five.
    await rig.named('5').focus();
    for (const key of ['Enter', 'ArrowLeft', 'Enter', 'ArrowUp', 'Enter', 'ArrowRight', 'Enter'])
      await rig.press(key);
    rig.answer('unlock', ANSWERS.unlock);
    await rig.named('OK').focus();
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.asked('unlock')).toMatchObject([{ pin: '1234' }, { pin: '5412' }]);
  });

  it('is not sent before it has four digits, nor with more than eight', async () => {
    await rig.openByKeys('Enter the PIN');
    await rig.page.keyboard.type('123');
    expect(await rig.named('OK').isDisabled()).toBe(true);
    await rig.page.keyboard.type('4567890');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.asked('unlock')).toEqual([{ kind: 'unlock', pin: '12345678' }]);
  });

  it('takes Enter for "OK" after keys, not for the digit that has the focus', async () => {
    await rig.openByKeys('Enter the PIN');
    await rig.page.keyboard.type('123');
    await rig.press('Enter');
    const digits = rig.menu().getByRole('img');
    expect(await digits.getAttribute('aria-label')).toBe('3 digits entered');
    await rig.press('ArrowRight');
    await rig.press('Enter');
    expect(await digits.getAttribute('aria-label')).toBe('4 digits entered');
  });

  it('stays when "erase" is held until nothing is left', async () => {
    await rig.openByKeys('Enter the PIN');
    await rig.page.keyboard.type('12');
    await rig.page.keyboard.down('Backspace');
    for (let i = 0; i < 5; i++) await rig.page.keyboard.down('Backspace');
    await rig.page.keyboard.up('Backspace');
    expect(await rig.menu().getByRole('img').getAttribute('aria-label')).toBe('0 digits entered');
    await rig.press('Backspace');
    await rig.menu().waitFor({ state: 'hidden' });
  });

  it('is asked for again when the runtime has locked the menu meanwhile', async () => {
    await rig.openByKeys('Enter the PIN');
    await rig.page.keyboard.type('4711');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    rig.answer('cache', refused('pin_needed'));
    await rig.named('Cache').click();
    await rig.heading('Enter the PIN').waitFor();
    expect(rig.asked('open')).toHaveLength(2);
  });
});

describe('without a PIN', () => {
  it('a paired screen only shows, and says how to set one', async () => {
    rig.opened({ access: 'read_only' });
    await rig.openByKeys();
    await rig.menu().getByText('No PIN is set for this screen').waitFor();
    const enabled = await rig
      .menu()
      .locator('.menu-tile')
      .evaluateAll((tiles) =>
        tiles.flatMap((tile) => (tile.hasAttribute('disabled') ? [] : [tile.textContent])),
      );
    expect(enabled).toEqual(['Network test', 'Now playing', 'Test picture', 'Cache', 'Faults']);
  });
});
