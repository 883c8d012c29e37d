import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMenuRig } from './menu-rig.ts';
import type { MenuRig } from './menu-rig.ts';
import { RESPONSES, refusedResponse } from './fake-menu-runtime.ts';

let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
});
afterAll(() => rig.close());
beforeEach(() => rig.resetPage());

describe('the PIN', () => {
  beforeEach(() => rig.setOpenedResponse({ access: 'pin' }));

  test('can be typed, and opens the menu', async () => {
    await rig.openByKeyboard('Enter the PIN');
    await rig.page.keyboard.type('47119');
    await rig.press('Backspace');
    expect(await rig.menu().getByRole('img').getAttribute('aria-label')).toBe('4 digits entered');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.requestsOfKind('unlock')).toEqual([{ kind: 'unlock', pin: '4711' }]);
    expect(await rig.button('Reboot device').isEnabled()).toBe(true);
  });

  test('can be tapped, or selected with the arrow keys', async () => {
    rig.respondWith('unlock', refusedResponse('pin_wrong'));
    await rig.openByKeyboard('Enter the PIN');
    for (const digit of ['1', '2', '3', '4']) {
      await rig.touchOn(rig.button(digit));
    }
    await rig.touchOn(rig.button('OK'));
    await rig.menu().getByText('Wrong PIN.').waitFor();
    // The selection starts at the five.
    await rig.button('5').focus();
    for (const key of ['Enter', 'ArrowLeft', 'Enter', 'ArrowUp', 'Enter', 'ArrowRight', 'Enter']) {
      await rig.press(key);
    }
    rig.respondWith('unlock', RESPONSES.unlock);
    await rig.button('OK').focus();
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.requestsOfKind('unlock')).toMatchObject([{ pin: '1234' }, { pin: '5412' }]);
  });

  test('is not sent before it has four digits, nor with more than eight', async () => {
    await rig.openByKeyboard('Enter the PIN');
    await rig.page.keyboard.type('123');
    expect(await rig.button('OK').isDisabled()).toBe(true);
    await rig.page.keyboard.type('4567890');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.requestsOfKind('unlock')).toEqual([{ kind: 'unlock', pin: '12345678' }]);
  });

  test('treats Enter after typing as "OK", not as the digit that has the focus', async () => {
    await rig.openByKeyboard('Enter the PIN');
    await rig.page.keyboard.type('123');
    await rig.press('Enter');
    const digits = rig.menu().getByRole('img');
    expect(await digits.getAttribute('aria-label')).toBe('3 digits entered');
    await rig.press('ArrowRight');
    await rig.press('Enter');
    expect(await digits.getAttribute('aria-label')).toBe('4 digits entered');
  });

  test('stays open when "erase" is held until the input is empty', async () => {
    await rig.openByKeyboard('Enter the PIN');
    await rig.page.keyboard.type('12');
    await rig.page.keyboard.down('Backspace');
    for (let i = 0; i < 5; i++) {
      await rig.page.keyboard.down('Backspace');
    }
    await rig.page.keyboard.up('Backspace');
    expect(await rig.menu().getByRole('img').getAttribute('aria-label')).toBe('0 digits entered');
    await rig.press('Backspace');
    await rig.menu().waitFor({ state: 'hidden' });
  });

  test('is requested again when the runtime has locked the menu meanwhile', async () => {
    await rig.openByKeyboard('Enter the PIN');
    await rig.page.keyboard.type('4711');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    rig.respondWith('cache', refusedResponse('pin_needed'));
    await rig.button('Cache').click();
    await rig.heading('Enter the PIN').waitFor();
    expect(rig.requestsOfKind('open')).toHaveLength(2);
  });
});

describe('without a PIN', () => {
  test('the menu of a paired screen is read-only, and explains how to set one', async () => {
    rig.setOpenedResponse({ access: 'read_only' });
    await rig.openByKeyboard();
    await rig.menu().getByText('No PIN is set for this screen').waitFor();
    const enabled = await rig
      .menu()
      .locator('.menu-tile')
      .evaluateAll((tiles) =>
        tiles.flatMap((tile) => (tile.hasAttribute('disabled') ? [] : [tile.textContent])),
      );
    expect(enabled).toEqual(['Network test', 'Now playing', 'Test pattern', 'Cache', 'Faults']);
  });
});
