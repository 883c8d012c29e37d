import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MenuRequest } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { checkLayout } from './layout-check.ts';
import { startMenuRig, MENU_SHORTCUT } from './menu-rig.ts';
import type { MenuRig } from './menu-rig.ts';
import { RESPONSES, refusedResponse } from './fake-menu-runtime.ts';
import { configure, SCREENS } from './screen-fixtures.ts';
import { imageShowing, plainPicture } from './stage-rig.ts';

let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
});
afterAll(() => rig.close());
beforeEach(() => rig.resetPage());

/** Presses a key for which Playwright has no name: several times at once, because a slow machine may take seconds for each. */
const remote = (key: string, times = 1) =>
  rig.page.evaluate(`for (let i = 0; i < ${times}; i++) {
    window.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
  }`);

describe('by keyboard', () => {
  test('opens, follows the arrow keys, returns to the previous selection, and closes', async () => {
    await rig.openByKeyboard();
    expect(await rig.focused()).toBe('Network test');
    await rig.press('ArrowRight');
    expect(await rig.focused()).toBe('Now playing');
    await rig.press('ArrowDown');
    expect(await rig.focused()).toBe('Faults');
    await rig.press('Enter');
    await rig.menu().getByText('disk.readonly').waitFor();
    expect(rig.requestsOfKind('faults')).toHaveLength(1);
    await rig.press('Escape');
    await rig.heading('Technician menu').waitFor();
    expect(await rig.focused()).toBe('Faults');
    await rig.press('Escape');
    await rig.menu().waitFor({ state: 'hidden' });
    await waitUntil('the runtime to be notified', () => rig.requestsOfKind('close').length > 0);
  });

  test('is opened and used with a remote control', async () => {
    await remote('Select', 5);
    await rig.button('Network test').waitFor();
    await waitUntil('the focus in the menu', async () => (await rig.focused()) === 'Network test');
    await remote('ArrowRight');
    await remote('Select');
    await rig.heading('Now playing').waitFor();
    await remote('GoBack');
    await rig.heading('Technician menu').waitFor();
    await remote('BrowserBack');
    await rig.menu().waitFor({ state: 'hidden' });
    // The last request: those before it have come as well.
    await waitUntil('the runtime to be notified', () => rig.requestsOfKind('close').length > 0);
    expect(rig.requestsOfKind('now_playing')).toHaveLength(1);
  });

  test('keeps the focus inside, and maps the arrow keys on a rotated panel', async () => {
    rig.send(configure({ orientation: 'portrait' }));
    await rig.openByKeyboard();
    await rig.press('ArrowRight');
    expect(await rig.focused()).toBe('Now playing');
    await rig.press('ArrowDown');
    expect(await rig.focused()).toBe('Cache');
    for (let i = 0; i < 30; i++) {
      await rig.press('Tab');
      expect(await rig.page.evaluate(`document.activeElement.closest('#menu') !== null`)).toBe(true);
    }
  });

  test('is not opened by other keys', async () => {
    for (const key of ['s', 'Control+S', 'Control+Alt+S', 'Enter', 'Escape']) {
      await rig.press(key);
    }
    await rig.openByKeyboard();
    expect(rig.requestsOfKind('open')).toHaveLength(1);
  });
});

describe('the stage below the menu', () => {
  test('keeps playing', async () => {
    const red = await rig.addMedia('red.png', await plainPicture('png', '#c03030'));
    const blue = await rig.addMedia('blue.png', await plainPicture('png', '#3030c0'));
    const started = (id: string) =>
      rig.messages.some((message) => message.type === 'started' && message.showing_id === id);
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    rig.send({ type: 'prepare', showing: imageShowing('below-1', red, 60_000), cut: 'when_ready' });
    await waitUntil('the first picture', () => started('below-1'));
    await rig.openByKeyboard();
    rig.send({ type: 'prepare', showing: imageShowing('below-2', blue, 60_000), cut: 'when_ready' });
    await waitUntil('the next picture', () => started('below-2'));
    expect(await rig.heading('Technician menu').isVisible()).toBe(true);
  });
});

describe('actions that cannot be undone', () => {
  const actions: [string, MenuRequest['kind'], string, string | null][] = [
    ['Clear cache', 'clear_cache', 'Delete', 'The cache was cleared. The media are downloaded again.'],
    ['Restart player', 'restart', 'Restart', 'The player is restarting.'],
    ['Reboot device', 'reboot', 'Reboot', 'The device is rebooting.'],
    ['Pair again', 're_pair', 'Remove', null],
  ];

  test.each(actions)('%s asks for confirmation', async (name, kind, yes, done) => {
    await rig.openByKeyboard();
    await rig.button(name).click();
    await rig.heading(name).waitFor();
    expect(await rig.focused()).toBe('Cancel');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.requestsOfKind(kind)).toEqual([]);

    await rig.button(name).click();
    await rig.button(yes).click();
    if (done) {
      await rig.menu().getByText(done).waitFor();
    } else {
      await rig.menu().waitFor({ state: 'hidden' });
    }
    expect(rig.requestsOfKind(kind)).toHaveLength(1);
  });

  test('warns in the language of the screen that re-pairing needs the cloud', async () => {
    rig.send(configure({ language: 'fr' }));
    rig.respondWith('clear_cache', refusedResponse('cloud_unreachable'));
    await rig.page.locator('html[lang=fr]').waitFor();
    await rig.openByKeyboard('Menu du technicien');
    await rig.button('Vider le cache').click();
    await rig.button('Effacer').click();
    expect(await rig.menu().locator('.problem').innerText()).toContain('Le cloud est injoignable');
  });

  test('shows the error of the system when an action failed', async () => {
    rig.respondWith('reboot', refusedResponse('not_possible', 0, 'Interactive authentication required.'));
    await rig.openByKeyboard();
    await rig.button('Reboot device').click();
    await rig.button('Reboot').click();
    await rig.menu().getByText('This failed: Interactive authentication required.').waitFor();
    expect(await rig.button('Cancel').isVisible()).toBe(true);
  });
});

describe('the pages', () => {
  test('logs are saved, and the folder is shown', async () => {
    await rig.openByKeyboard();
    await rig.button('Save logs').click();
    await rig.button('Save').click();
    await rig.menu().getByText('/media/usb0/placard-support').waitFor();
    expect(rig.requestsOfKind('save_logs')).toHaveLength(1);
  });

  test('the orientation is changed, and changed back', async () => {
    await rig.openByKeyboard();
    await rig.button('Orientation').click();
    await rig.button('Portrait').click();
    await rig.menu().locator('[aria-pressed=true]', { hasText: 'Portrait' }).waitFor();
    await rig.rotateToPortrait('Orientation');
    await rig.button('Follow the cloud').click();
    await rig.menu().locator('[aria-pressed=true]', { hasText: 'Follow the cloud' }).waitFor();
    expect(rig.requestsOfKind('set_orientation')).toMatchObject([
      { orientation: 'portrait' },
      { orientation: null },
    ]);
  });

  test('the network test shows the connectivity steps, and can be repeated', async () => {
    await rig.openByKeyboard();
    await rig.button('Network test').click();
    await rig.menu().getByText('does not respond. Check the server address').waitFor();
    expect(await rig.menu().locator('.connectivity-step.failed').innerText()).toBe('TLS');
    await rig.menu().getByText('-12 s', { exact: true }).waitFor();
    rig.respondWith('network_test', { ...RESPONSES.network_test, steps: [], clock_offset_ms: -400 });
    await rig.button('Refresh').click();
    await rig.menu().getByText('The connection to the server works.').waitFor();
    await rig.menu().getByText('0 s', { exact: true }).waitFor();
    expect(rig.requestsOfKind('network_test')).toHaveLength(2);
  });

  test('the current item and the reason for it are shown by name', async () => {
    await rig.openByKeyboard();
    await rig.button('Now playing').click();
    await rig.menu().getByText('Weekdays in the shop windows').waitFor();
    const text = await rig.menu().innerText();
    for (const fact of ['Autumn collection', 'Nov 20, 16:05', 'connected', 'downloading an update']) {
      expect(text).toContain(fact);
    }
  });

  test('one small picture in the cache is not shown as zero', async () => {
    rig.respondWith('cache', { ...RESPONSES.cache, cache_bytes: 210_000 });
    await rig.openByKeyboard();
    await rig.button('Cache').click();
    await rig.menu().getByText('Used').waitFor();
    expect(await rig.menu().innerText()).toContain('0.2 MB');
  });

  test.each([
    ['landscape', { x: 0, y: -200 }],
    ['portrait', { x: 200, y: 0 }],
    ['landscape-flipped', { x: 0, y: 200 }],
    ['portrait-flipped', { x: -200, y: 0 }],
  ] as const)('a long list follows a finger on a panel that hangs %s', async (orientation, move) => {
    const { faults } = RESPONSES.faults;
    rig.respondWith('faults', { ...RESPONSES.faults, faults: [...faults, ...faults, ...faults] });
    rig.send(configure({ orientation }));
    await rig.page.locator(`#frame[data-orientation=${orientation}]`).waitFor();
    await rig.openByKeyboard();
    await rig.button('Faults').click();
    await rig.menu().getByText('disk.readonly').first().waitFor();
    const { x, y, width, height } = (await rig.menu().locator('[data-scrolls]').boundingBox())!;
    await rig.touch(x + width / 2, y + height / 2, move);
    const scrolled = await waitUntil('the list to follow', () =>
      rig.page.evaluate(`document.querySelector('[data-scrolls]').scrollTop`),
    );
    expect(scrolled).toBeGreaterThan(0);
  });

  test('a list that is longer than the panel is scrolled by the arrow keys', async () => {
    const { faults } = RESPONSES.faults;
    rig.respondWith('faults', { ...RESPONSES.faults, faults: [...faults, ...faults, ...faults] });
    await rig.openByKeyboard();
    await rig.button('Faults').click();
    await rig.menu().getByText('disk.readonly').first().waitFor();
    const last = rig.menu().getByText('from.the_future').last();
    const inSight = async () => {
      const [text, list] = [
        await last.boundingBox(),
        await rig.menu().locator('[data-scrolls]').boundingBox(),
      ];
      return text!.y + text!.height <= list!.y + list!.height + 1;
    };
    expect(await inSight()).toBe(false);
    for (let i = 0; i < 12 && !(await inSight()); i++) {
      await rig.press('ArrowDown');
    }
    expect(await inSight()).toBe(true);
  });
});

describe('after the page has reloaded itself', () => {
  test('opens on the new page, and not on the old one', async () => {
    const before = rig.messagesOfType('hello').length;
    rig.send({ type: 'reload' });
    await waitUntil('the new page to say hello', () => rig.messagesOfType('hello').length > before);
    rig.send({ type: 'screen', screen: SCREENS['idle']! });
    await rig.page.locator('body > #frame').waitFor({ state: 'detached' });
    await rig.press(MENU_SHORTCUT);
    const page = rig.page.frameLocator('iframe.page');
    await page.getByRole('heading', { name: 'Technician menu' }).waitFor();
    // Until the runtime has answered, the menu shows a waiting message under the same title.
    await page.locator('.menu-tile').first().waitFor();
    await rig.press('ArrowRight');
    await rig.press('Enter');
    await page.getByRole('heading', { name: 'Now playing' }).waitFor();
    expect(rig.requestsOfKind('open')).toHaveLength(1);

    // Keys may also go to the outer, empty page.
    await rig.press('Escape');
    await rig.press('Escape');
    await page.locator('#menu').waitFor({ state: 'hidden' });
    await rig.page.evaluate(
      `window.dispatchEvent(new KeyboardEvent('keydown', { ctrlKey: true, altKey: true, shiftKey: true, key: 'S' }))`,
    );
    await page.getByRole('heading', { name: 'Technician menu' }).waitFor();
  });
});

test.each(['en', 'de', 'fr', 'es', 'ja'] as const)(
  'in %s, all texts fit, written in both directions, with a contrast of 7 to 1',
  async (language) => {
    rig.send(configure({ language }));
    await rig.page.locator(`html[lang=${language}]`).waitFor();
    const check = async (what: string) => {
      for (const direction of ['rtl', 'ltr']) {
        await rig.page.evaluate(`document.documentElement.dir = '${direction}'`);
        const { problems, texts } = await checkLayout(rig.page);
        expect(problems, `${what}, ${direction}`).toEqual([]);
        expect(texts).toBeGreaterThan(3);
      }
    };
    await rig.press(MENU_SHORTCUT);
    const tiles = rig.menu().locator('.menu-tile');
    await tiles.first().waitFor();
    await check('the first page');
    for (let i = 0; i < (await tiles.count()); i++) {
      await tiles.nth(i).dispatchEvent('click');
      await tiles.first().waitFor({ state: 'detached' });
      // A page that sends a request when it opens has its response once no button is disabled.
      await rig.menu().locator('.menu-actions button:disabled').waitFor({ state: 'detached' });
      await check(`page ${i}`);
      await rig.press('Escape');
      await tiles.first().waitFor();
    }
    await rig.press('Escape');
    rig.setOpenedResponse({ access: 'pin', retry_in_ms: 90_000 });
    await rig.press(MENU_SHORTCUT);
    await rig.menu().locator('.pin-pad').waitFor();
    await check('the PIN');
  },
);
