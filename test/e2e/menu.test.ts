import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MenuRequest } from '../../src/stage-link/messages.ts';
import { until } from '../support/until.ts';
import { lookOver } from './look-over.ts';
import { startMenuRig, SUMMONS, type MenuRig } from './menu-rig.ts';
import { ANSWERS, refused } from './menu-runtime.ts';
import { configure, SCREENS } from './scenes.ts';
import { imageShowing, plainPicture } from './stage-rig.ts';

let rig: MenuRig;

beforeAll(async () => {
  rig = await startMenuRig();
});
afterAll(() => rig.close());
beforeEach(() => rig.freshPage());

/** A key that the test tool has no name for. */
const remote = (key: string) =>
  rig.page.evaluate(`window.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`);

describe('by keyboard', () => {
  it('opens, goes where the arrows point, comes back to where it was, and closes', async () => {
    await rig.openByKeys();
    expect(await rig.focused()).toBe('Network test');
    await rig.press('ArrowRight');
    expect(await rig.focused()).toBe('Now playing');
    await rig.press('ArrowDown');
    expect(await rig.focused()).toBe('Faults');
    await rig.press('Enter');
    await rig.menu().getByText('disk.readonly').waitFor();
    expect(rig.asked('faults')).toHaveLength(1);
    await rig.press('Escape');
    await rig.heading('Technician menu').waitFor();
    expect(await rig.focused()).toBe('Faults');
    await rig.press('Escape');
    await rig.menu().waitFor({ state: 'hidden' });
    await until('the runtime to hear of it', () => rig.asked('close').length > 0);
  });

  it('is opened by a remote control, and takes its keys', async () => {
    for (let i = 0; i < 5; i++) await remote('Select');
    await rig.named('Network test').waitFor();
    await until('the focus in the menu', async () => (await rig.focused()) === 'Network test');
    await remote('ArrowRight');
    await remote('Select');
    await rig.heading('Now playing').waitFor();
    await remote('GoBack');
    await rig.heading('Technician menu').waitFor();
    await remote('BrowserBack');
    await rig.menu().waitFor({ state: 'hidden' });
    expect(rig.asked('now_playing')).toHaveLength(1);
  });

  it('keeps the focus within, and knows the arrows on a panel that stands on its side', async () => {
    rig.send(configure({ orientation: 'portrait' }));
    await rig.openByKeys();
    await rig.press('ArrowRight');
    expect(await rig.focused()).toBe('Now playing');
    await rig.press('ArrowDown');
    expect(await rig.focused()).toBe('Cache');
    for (let i = 0; i < 30; i++) {
      await rig.press('Tab');
      expect(await rig.page.evaluate(`document.activeElement.closest('#menu') !== null`)).toBe(true);
    }
  });

  it('is not opened by other keys', async () => {
    for (const key of ['s', 'Control+S', 'Control+Alt+S', 'Enter', 'Escape']) await rig.press(key);
    await rig.openByKeys();
    expect(rig.asked('open')).toHaveLength(1);
  });
});

describe('what lies below', () => {
  it('plays on', async () => {
    const red = await rig.addMedia('red.png', await plainPicture('png', '#c03030'));
    const blue = await rig.addMedia('blue.png', await plainPicture('png', '#3030c0'));
    const started = (id: string) =>
      rig.said.some((message) => message.type === 'started' && message.showing_id === id);
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    rig.send({ type: 'prepare', showing: imageShowing('below-1', red, 60_000), cut: 'when_ready' });
    await until('the first picture', () => started('below-1'));
    await rig.openByKeys();
    rig.send({ type: 'prepare', showing: imageShowing('below-2', blue, 60_000), cut: 'when_ready' });
    await until('the next picture', () => started('below-2'));
    expect(await rig.heading('Technician menu').isVisible()).toBe(true);
  });
});

describe('what cannot be undone', () => {
  const acts: [string, MenuRequest['kind'], string, string | null][] = [
    ['Clear cache', 'clear_cache', 'Erase', 'The cache was cleared and fills itself again.'],
    ['Restart player', 'restart', 'Restart', 'The player restarts.'],
    ['Reboot box', 'reboot', 'Reboot', 'The box reboots.'],
    ['Pair again', 're_pair', 'Forget', null],
  ];

  it.each(acts)('%s asks once more, and does nothing by accident', async (name, kind, yes, done) => {
    await rig.openByKeys();
    await rig.named(name).click();
    await rig.heading(name).waitFor();
    expect(await rig.focused()).toBe('Cancel');
    await rig.press('Enter');
    await rig.heading('Technician menu').waitFor();
    expect(rig.asked(kind)).toEqual([]);

    await rig.named(name).click();
    await rig.named(yes).click();
    if (done) await rig.menu().getByText(done).waitFor();
    else await rig.menu().waitFor({ state: 'hidden' });
    expect(rig.asked(kind)).toHaveLength(1);
  });

  it('says in the language of the screen that it takes the cloud', async () => {
    rig.send(configure({ language: 'fr' }));
    rig.answer('clear_cache', refused('cloud_away'));
    await rig.page.locator('html[lang=fr]').waitFor();
    await rig.openByKeys('Menu du technicien');
    await rig.named('Vider le cache').click();
    await rig.named('Effacer').click();
    expect(await rig.menu().locator('.problem').innerText()).toContain('Le cloud est injoignable');
  });

  it('tells what the system said when it was not possible', async () => {
    rig.answer('reboot', refused('not_possible', 0, 'Interactive authentication required.'));
    await rig.openByKeys();
    await rig.named('Reboot box').click();
    await rig.named('Reboot').click();
    await rig.menu().getByText('That was not possible. Interactive authentication required.').waitFor();
    expect(await rig.named('Cancel').isVisible()).toBe(true);
  });
});

describe('the pages', () => {
  it('logs are saved, and it says where', async () => {
    await rig.openByKeys();
    await rig.named('Save logs').click();
    await rig.named('Save').click();
    await rig.menu().getByText('/media/usb0/placard-support').waitFor();
    expect(rig.asked('save_logs')).toHaveLength(1);
  });

  it('the picture is turned, and turned back', async () => {
    await rig.openByKeys();
    await rig.named('Orientation').click();
    await rig.named('Portrait').click();
    await rig.menu().locator('[aria-pressed=true]', { hasText: 'Portrait' }).waitFor();
    await rig.turnOnItsSide('Orientation');
    await rig.named('Follow the cloud').click();
    await rig.menu().locator('[aria-pressed=true]', { hasText: 'Follow the cloud' }).waitFor();
    expect(rig.asked('set_orientation')).toMatchObject([{ orientation: 'portrait' }, { orientation: null }]);
  });

  it('the network test tells the chain, and can be done once more', async () => {
    await rig.openByKeys();
    await rig.named('Network test').click();
    await rig.menu().getByText('does not answer. Check the server address').waitFor();
    expect(await rig.menu().locator('.way-step.failed').innerText()).toBe('TLS');
    await rig.menu().getByText('-12 s', { exact: true }).waitFor();
    rig.answer('network_test', { ...ANSWERS.network_test, steps: [], clock_off_ms: -400 });
    await rig.named('Once more').click();
    await rig.menu().getByText('The way to the server holds.').waitFor();
    await rig.menu().getByText('0 s', { exact: true }).waitFor();
    expect(rig.asked('network_test')).toHaveLength(2);
  });

  it('what is on and why is told by its names', async () => {
    await rig.openByKeys();
    await rig.named('Now playing').click();
    await rig.menu().getByText('Weekdays in the shop windows').waitFor();
    const text = await rig.menu().innerText();
    for (const fact of ['Autumn collection', 'Nov 20, 16:05', 'connected', 'a newer one is being loaded'])
      expect(text).toContain(fact);
  });

  it('one small picture in the cache is not told as nothing', async () => {
    rig.answer('cache', { ...ANSWERS.cache, cache_bytes: 210_000 });
    await rig.openByKeys();
    await rig.named('Cache').click();
    await rig.menu().getByText('Used').waitFor();
    expect(await rig.menu().innerText()).toContain('0.2 MB');
  });

  it.each([
    ['landscape', { x: 0, y: -200 }],
    ['portrait', { x: 200, y: 0 }],
    ['landscape-flipped', { x: 0, y: 200 }],
    ['portrait-flipped', { x: -200, y: 0 }],
  ] as const)('a long list follows a finger on a panel that hangs %s', async (orientation, move) => {
    const { faults } = ANSWERS.faults;
    rig.answer('faults', { ...ANSWERS.faults, faults: [...faults, ...faults, ...faults] });
    rig.send(configure({ orientation }));
    await rig.page.locator(`#frame[data-orientation=${orientation}]`).waitFor();
    await rig.openByKeys();
    await rig.named('Faults').click();
    await rig.menu().getByText('disk.readonly').first().waitFor();
    const { x, y, width, height } = (await rig.menu().locator('[data-scrolls]').boundingBox())!;
    await rig.touch(x + width / 2, y + height / 2, move);
    const scrolled = await until('the list to follow', () =>
      rig.page.evaluate(`document.querySelector('[data-scrolls]').scrollTop`),
    );
    expect(scrolled).toBeGreaterThan(0);
  });

  it('a list that is longer than the panel is scrolled by the arrows', async () => {
    const { faults } = ANSWERS.faults;
    rig.answer('faults', { ...ANSWERS.faults, faults: [...faults, ...faults, ...faults] });
    await rig.openByKeys();
    await rig.named('Faults').click();
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
    for (let i = 0; i < 12 && !(await inSight()); i++) await rig.press('ArrowDown');
    expect(await inSight()).toBe(true);
  });
});

describe('after the page has been replaced by itself', () => {
  it('opens on the new one, and not on the old', async () => {
    const before = rig.heard('hello').length;
    rig.send({ type: 'reload' });
    await until('the new page to say hello', () => rig.heard('hello').length > before);
    rig.send({ type: 'screen', screen: SCREENS['idle']! });
    await rig.page.locator('body > #frame').waitFor({ state: 'detached' });
    await rig.press(SUMMONS);
    const page = rig.page.frameLocator('iframe.page');
    await page.getByRole('heading', { name: 'Technician menu' }).waitFor();
    await rig.press('ArrowRight');
    await rig.press('Enter');
    await page.getByRole('heading', { name: 'Now playing' }).waitFor();
    expect(rig.asked('open')).toHaveLength(1);

    // Keys may also go to the empty page around it.
    await rig.press('Escape');
    await rig.press('Escape');
    await page.locator('#menu').waitFor({ state: 'hidden' });
    await rig.page.evaluate(
      `window.dispatchEvent(new KeyboardEvent('keydown', { ctrlKey: true, altKey: true, shiftKey: true, key: 'S' }))`,
    );
    await page.getByRole('heading', { name: 'Technician menu' }).waitFor();
  });
});

describe.each(['en', 'de', 'fr', 'es', 'ja'] as const)('in %s', (language) => {
  it.each(['ltr', 'rtl'])('all of it fits, written %s, and all texts stand out 7 to 1', async (direction) => {
    rig.send(configure({ language }));
    await until(
      'the language',
      async () => (await rig.page.evaluate('document.documentElement.lang')) === language,
    );
    await rig.page.evaluate(`document.documentElement.dir = '${direction}'`);
    const check = async (what: string) => {
      const { problems, texts } = await lookOver(rig.page);
      expect(problems, what).toEqual([]);
      expect(texts).toBeGreaterThan(3);
    };
    await rig.press(SUMMONS);
    const tiles = rig.menu().locator('.menu-tile');
    await tiles.first().waitFor();
    await check('the first page');
    for (let i = 0; i < (await tiles.count()); i++) {
      await tiles.nth(i).click();
      await tiles.first().waitFor({ state: 'detached' });
      // A page that asks at once has its answer when its one button can be pressed again.
      await rig.menu().locator('.menu-actions button:disabled').waitFor({ state: 'detached' });
      await check(`page ${i}`);
      await rig.press('Escape');
      await tiles.first().waitFor();
    }
    await rig.press('Escape');
    rig.opened({ access: 'pin', retry_in_ms: 90_000 });
    await rig.press(SUMMONS);
    await rig.menu().locator('.pin-pad').waitFor();
    await check('the PIN');
  });
});
