import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MenuAnswer, MenuRequest } from '../../src/stage-link/messages.ts';
import { until } from '../support/until.ts';
import { lookOver } from './look-over.ts';
import { ANSWERS, refused, startMenuRuntime, type MenuRuntime } from './menu-runtime.ts';
import { configure, SCREENS } from './scenes.ts';
import { imageShowing, plainPicture, startStageRig, type StageRig } from './stage-rig.ts';

const WIDTH = 1280;
const HEIGHT = 720;
const SUMMONS = 'Control+Alt+Shift+S';

let rig: StageRig;
let runtime: MenuRuntime;

beforeAll(async () => {
  rig = await startStageRig({ width: WIDTH, height: HEIGHT });
});

afterAll(() => rig.close());

beforeEach(async () => {
  await rig.page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await freshPage();
  runtime = startMenuRuntime(rig);
});

afterEach(() => runtime.stop());

async function freshPage(): Promise<void> {
  const hellos = () => rig.said.filter(({ type }) => type === 'hello').length;
  const before = hellos();
  await rig.page.reload();
  await until('the new page to say hello', () => hellos() > before);
  rig.send(configure());
  rig.send({ type: 'screen', screen: SCREENS['idle']! });
  await rig.page.locator('.idle').waitFor();
}

const menu = (): Locator => rig.page.locator('#menu');
const press = (key: string) => rig.page.keyboard.press(key);
const named = (name: string) => menu().getByRole('button', { name, exact: true });
const heading = (name: string) => menu().getByRole('heading', { name });
const focused = () => rig.page.evaluate(`document.activeElement.textContent`);
const asked = (kind: MenuRequest['kind']) => runtime.asked.filter((request) => request.kind === kind);

function opened(change: Partial<Extract<MenuAnswer, { kind: 'opened' }>>): void {
  runtime.answer('open', { ...ANSWERS.open, ...change });
}

async function openByKeys(title = 'Technician menu'): Promise<void> {
  await press(SUMMONS);
  await heading(title).waitFor();
  // Until the runtime has answered, the menu says so under the same name.
  await menu().locator('.menu-tile, .pin-pad').first().waitFor();
  await until('the focus in the menu', () =>
    rig.page.evaluate(`document.querySelector('#menu').contains(document.activeElement)`),
  );
}

/** A key that the test tool has no name for. */
const remote = (key: string) =>
  rig.page.evaluate(`window.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`);

/** One short touch of a finger. */
async function touch(x: number, y: number, page = rig.page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await devtools.detach();
}

async function touchOn(target: Locator): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!;
  await touch(x + width / 2, y + height / 2, target.page());
}

describe('by keyboard', () => {
  it('opens, goes where the arrows point, comes back to where it was, and closes', async () => {
    await openByKeys();
    expect(await focused()).toBe('Network test');
    await press('ArrowRight');
    expect(await focused()).toBe('Now playing');
    await press('ArrowDown');
    expect(await focused()).toBe('Faults');
    await press('Enter');
    await menu().getByText('disk.readonly').waitFor();
    expect(asked('faults')).toHaveLength(1);
    await press('Escape');
    await heading('Technician menu').waitFor();
    expect(await focused()).toBe('Faults');
    await press('Escape');
    await menu().waitFor({ state: 'hidden' });
    await until('the runtime to hear of it', () => asked('close').length > 0);
  });

  it('takes the keys of a remote control', async () => {
    await openByKeys();
    await remote('ArrowRight');
    await remote('Select');
    await heading('Now playing').waitFor();
    await remote('GoBack');
    await heading('Technician menu').waitFor();
    await remote('BrowserBack');
    await menu().waitFor({ state: 'hidden' });
    expect(asked('now_playing')).toHaveLength(1);
  });

  it('keeps the focus within, and knows the arrows on a panel that stands on its side', async () => {
    rig.send(configure({ orientation: 'portrait' }));
    await openByKeys();
    await press('ArrowRight');
    expect(await focused()).toBe('Now playing');
    await press('ArrowDown');
    expect(await focused()).toBe('Cache');
    for (let i = 0; i < 30; i++) {
      await press('Tab');
      expect(await rig.page.evaluate(`document.activeElement.closest('#menu') !== null`)).toBe(true);
    }
  });

  it('is not opened by other keys', async () => {
    for (const key of ['s', 'Control+S', 'Control+Alt+S', 'Enter', 'Escape']) await press(key);
    await openByKeys();
    expect(asked('open')).toHaveLength(1);
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
    await openByKeys();
    rig.send({ type: 'prepare', showing: imageShowing('below-2', blue, 60_000), cut: 'when_ready' });
    await until('the next picture', () => started('below-2'));
    expect(await heading('Technician menu').isVisible()).toBe(true);
  });
});

describe('the PIN', () => {
  beforeEach(() => opened({ access: 'pin' }));

  it('is typed, and opens the menu', async () => {
    await openByKeys('Enter the PIN');
    await rig.page.keyboard.type('47119');
    await press('Backspace');
    expect(await menu().getByRole('img').getAttribute('aria-label')).toBe('4 digits entered');
    await press('Enter');
    await heading('Technician menu').waitFor();
    expect(asked('unlock')).toEqual([{ kind: 'unlock', pin: '4711' }]);
    expect(await named('Reboot box').isEnabled()).toBe(true);
  });

  it('is tapped, or steered to with the arrows', async () => {
    runtime.answer('unlock', refused('pin_wrong'));
    await openByKeys('Enter the PIN');
    for (const digit of ['1', '2', '3', '4']) await touchOn(named(digit));
    await touchOn(named('OK'));
    await menu().getByText('This PIN is wrong.').waitFor();
    // Begins at the five.
    await named('5').focus();
    for (const key of ['Enter', 'ArrowLeft', 'Enter', 'ArrowUp', 'Enter', 'ArrowRight', 'Enter'])
      await press(key);
    runtime.answer('unlock', ANSWERS.unlock);
    await named('OK').focus();
    await press('Enter');
    await heading('Technician menu').waitFor();
    expect(asked('unlock')).toMatchObject([{ pin: '1234' }, { pin: '5412' }]);
  });

  it('is not sent before it has four digits, nor with more than eight', async () => {
    await openByKeys('Enter the PIN');
    await rig.page.keyboard.type('123');
    expect(await named('OK').isDisabled()).toBe(true);
    await rig.page.keyboard.type('4567890');
    await press('Enter');
    await heading('Technician menu').waitFor();
    expect(asked('unlock')).toEqual([{ kind: 'unlock', pin: '12345678' }]);
  });

  it('is asked for again when the runtime has locked the menu meanwhile', async () => {
    await openByKeys('Enter the PIN');
    await rig.page.keyboard.type('4711');
    await press('Enter');
    await heading('Technician menu').waitFor();
    runtime.answer('cache', refused('pin_needed'));
    await named('Cache').click();
    await heading('Enter the PIN').waitFor();
    expect(asked('open')).toHaveLength(2);
  });
});

describe('without a PIN', () => {
  it('a paired screen only shows, and says how to set one', async () => {
    opened({ access: 'read_only' });
    await openByKeys();
    await menu().getByText('No PIN is set for this screen').waitFor();
    const enabled = await menu()
      .locator('.menu-tile')
      .evaluateAll((tiles) =>
        tiles.flatMap((tile) => (tile.hasAttribute('disabled') ? [] : [tile.textContent])),
      );
    expect(enabled).toEqual(['Network test', 'Now playing', 'Test picture', 'Cache', 'Faults']);
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
    await openByKeys();
    await named(name).click();
    await heading(name).waitFor();
    expect(await focused()).toBe('Cancel');
    await press('Enter');
    await heading('Technician menu').waitFor();
    expect(asked(kind)).toEqual([]);

    await named(name).click();
    await named(yes).click();
    if (done) await menu().getByText(done).waitFor();
    else await menu().waitFor({ state: 'hidden' });
    expect(asked(kind)).toHaveLength(1);
  });

  it('tells what the system said when it was not possible', async () => {
    runtime.answer('reboot', refused('not_possible', 0, 'Interactive authentication required.'));
    await openByKeys();
    await named('Reboot box').click();
    await named('Reboot').click();
    await menu().getByText('That was not possible. Interactive authentication required.').waitFor();
    expect(await named('Cancel').isVisible()).toBe(true);
  });
});

describe('the pages', () => {
  it('logs are saved, and it says where', async () => {
    await openByKeys();
    await named('Save logs').click();
    await named('Save').click();
    await menu().getByText('/media/usb0/placard-support').waitFor();
    expect(asked('save_logs')).toHaveLength(1);
  });

  it('the picture is turned, and turned back', async () => {
    await openByKeys();
    await named('Orientation').click();
    await named('Portrait').click();
    await menu().locator('[aria-pressed=true]', { hasText: 'Portrait' }).waitFor();
    rig.send(configure({ orientation: 'portrait' }));
    await until('the menu on its side', async () => {
      const box = await heading('Orientation').boundingBox();
      return box && box.height > box.width;
    });
    await named('Follow the cloud').click();
    await menu().locator('[aria-pressed=true]', { hasText: 'Follow the cloud' }).waitFor();
    expect(asked('set_orientation')).toMatchObject([{ orientation: 'portrait' }, { orientation: null }]);
  });

  it('the network test tells the chain, and can be done once more', async () => {
    await openByKeys();
    await named('Network test').click();
    await menu().getByText('does not answer. Check the server address').waitFor();
    expect(await menu().locator('.way-step.failed').innerText()).toBe('TLS');
    runtime.answer('network_test', { ...ANSWERS.network_test, steps: [] });
    await named('Once more').click();
    await menu().getByText('The way to the server holds.').waitFor();
    expect(asked('network_test')).toHaveLength(2);
  });

  it('what is on and why is told by its names', async () => {
    await openByKeys();
    await named('Now playing').click();
    await menu().getByText('Weekdays in the shop windows').waitFor();
    const text = await menu().innerText();
    for (const fact of ['Autumn collection', 'Nov 20, 16:05', 'connected', 'a newer one is being loaded'])
      expect(text).toContain(fact);
  });

  it('a list that is longer than the panel is scrolled by the arrows', async () => {
    const { faults } = ANSWERS.faults;
    runtime.answer('faults', { ...ANSWERS.faults, faults: [...faults, ...faults, ...faults] });
    await openByKeys();
    await named('Faults').click();
    await menu().getByText('disk.readonly').first().waitFor();
    const last = menu().getByText('from.the_future').last();
    const inSight = async () => {
      const [text, list] = [await last.boundingBox(), await menu().locator('[data-scrolls]').boundingBox()];
      return text!.y + text!.height <= list!.y + list!.height + 1;
    };
    expect(await inSight()).toBe(false);
    for (let i = 0; i < 12 && !(await inSight()); i++) await press('ArrowDown');
    expect(await inSight()).toBe(true);
  });
});

const pattern = (kind: string) => menu().locator(`canvas[data-pattern=${kind}]`);
const CANVAS = `document.querySelector('canvas.pattern')`;

describe('the test pictures', () => {
  it('have the true pixels of the panel, in every orientation', async () => {
    await openByKeys();
    await named('Test picture').click();
    await pattern('geometry').waitFor();
    expect(await rig.page.evaluate(`[${CANVAS}.width, ${CANVAS}.height]`)).toEqual([WIDTH, HEIGHT]);
    await press('Escape');
    rig.send(configure({ orientation: 'portrait' }));
    await until('the menu on its side', async () => {
      const box = await heading('Technician menu').boundingBox();
      return box && box.height > box.width;
    });
    await named('Test picture').click();
    await pattern('geometry').waitFor();
    expect(await rig.page.evaluate(`[${CANVAS}.width, ${CANVAS}.height]`)).toEqual([HEIGHT, WIDTH]);
  });

  it('follow one another by keys, and move where they should', async () => {
    await openByKeys();
    await named('Test picture').click();
    for (const kind of ['geometry', 'colours', 'lines']) {
      await pattern(kind).waitFor();
      await press('ArrowRight');
    }
    await pattern('motion').waitFor();
    const first = await rig.page.evaluate(`${CANVAS}.toDataURL()`);
    await until(
      'the picture to move',
      async () => (await rig.page.evaluate(`${CANVAS}.toDataURL()`)) !== first,
    );
    await press('ArrowRight');
    await pattern('geometry').waitFor();
    await press('ArrowLeft');
    await pattern('motion').waitFor();
    await press('Escape');
    await heading('Technician menu').waitFor();
    expect(await focused()).toBe('Test picture');
  });

  it('show single pixels as single pixels', async () => {
    await openByKeys();
    await named('Test picture').click();
    await press('ArrowRight');
    await press('ArrowRight');
    await pattern('lines').waitFor();
    const row = await rig.page.evaluate(
      `[...${CANVAS}.getContext('2d').getImageData(0, 0, 6, 1).data].filter((_, i) => i % 4 === 0)`,
    );
    expect(row).toEqual([255, 0, 255, 0, 255, 0]);
  });

  it('end after the last one by taps, for a finger has no key for "back"', async () => {
    await openByKeys();
    await named('Test picture').click();
    for (const kind of ['geometry', 'colours', 'lines', 'motion']) {
      await pattern(kind).waitFor();
      await touch(WIDTH / 2, HEIGHT / 2);
    }
    await heading('Technician menu').waitFor();
    expect(await menu().locator('canvas').count()).toBe(0);
  });
});

describe('on a page whose time goes on only when it is told to', () => {
  let timed: StageRig;
  let timedRuntime: MenuRuntime;
  const timedMenu = () => timed.page.locator('#menu');
  const timedButton = (name: string) => timedMenu().getByRole('button', { name, exact: true });
  const closes = () => timedRuntime.asked.filter(({ kind }) => kind === 'close').length;

  beforeAll(async () => {
    timed = await startStageRig({ width: WIDTH, height: HEIGHT });
    await timed.page.clock.install({ time: 0 });
    await timed.page.reload();
    await until('the new page', () => timed.said.filter(({ type }) => type === 'hello').length > 1);
    await timed.page.clock.pauseAt(600_000);
    timedRuntime = startMenuRuntime(timed);
  });

  afterAll(async () => {
    timedRuntime.stop();
    await timed.close();
  });

  async function openTimed(): Promise<void> {
    timedRuntime.answer('open', ANSWERS.open);
    await timed.page.keyboard.press(SUMMONS);
    await timedButton('Cache').waitFor();
  }

  it.each([
    ['top left', 4, 4],
    ['bottom right', WIDTH - 4, HEIGHT - 4],
  ])('five taps %s open it, and taps do the rest', async (_, x, y) => {
    for (let i = 0; i < 4; i++) await touch(x, y, timed.page);
    expect(await timedMenu().isVisible()).toBe(false);
    await touch(x, y, timed.page);
    await touchOn(timedButton('Cache'));
    await timedMenu().getByText('12.3 GB').waitFor();
    await touchOn(timedButton('Back'));
    await touchOn(timedButton('Close'));
    await timedMenu().waitFor({ state: 'hidden' });
  });

  it('five taps that take too long do not open it', async () => {
    for (let i = 0; i < 8; i++) {
      await touch(4, 4, timed.page);
      await timed.page.clock.runFor(1_100);
    }
    expect(await timedMenu().isVisible()).toBe(false);
    await timed.page.clock.runFor(5_000);
  });

  it('closes after a minute, counted from the last key', async () => {
    await openTimed();
    const before = closes();
    await timed.page.clock.runFor(59_000);
    await timed.page.keyboard.press('ArrowRight');
    await timed.page.clock.runFor(59_000);
    expect(await timedMenu().isVisible()).toBe(true);
    await timed.page.clock.runFor(1_500);
    expect(await timedMenu().isVisible()).toBe(false);
    await until('the runtime to hear of it', () => closes() > before);
  });

  it('leaves a test picture up for five minutes', async () => {
    await openTimed();
    await timedButton('Test picture').click();
    await timed.page.clock.runFor(290_000);
    expect(await timedMenu().locator('canvas').isVisible()).toBe(true);
    await timed.page.clock.runFor(11_000);
    expect(await timedMenu().isVisible()).toBe(false);
  });

  it('counts down to the next try of a PIN', async () => {
    timedRuntime.answer('open', { ...ANSWERS.open, access: 'pin', retry_in_ms: 30_000 });
    await timed.page.keyboard.press(SUMMONS);
    await timedMenu().getByText('Too many wrong PINs. Try again in 0:30.').waitFor();
    await timed.page.keyboard.type('4711');
    expect(await timedButton('5').isDisabled()).toBe(true);
    await timed.page.clock.runFor(20_000);
    await timedMenu().getByText('Try again in 0:10.').waitFor();
    await timed.page.clock.runFor(11_000);
    expect(await timedButton('5').isEnabled()).toBe(true);
    await timed.page.keyboard.press('Escape');
  });

  it('says so when the runtime is away', async () => {
    await openTimed();
    timedRuntime.answer('cache', null);
    await timedButton('Cache').click();
    await timedMenu().getByText('One moment').waitFor();
    await timed.page.clock.runFor(46_000);
    expect(await timedMenu().locator('.menu-note').innerText()).toBe(
      'The player does not answer just now. Try again in a moment.',
    );
    await timed.page.keyboard.press('Escape');
    await timed.page.keyboard.press('Escape');
  });
});

describe('after the page has been replaced by itself', () => {
  it('opens on the new one, and not on the old', async () => {
    const hellos = () => rig.said.filter(({ type }) => type === 'hello').length;
    const before = hellos();
    rig.send({ type: 'reload' });
    await until('the new page to say hello', () => hellos() > before);
    rig.send({ type: 'screen', screen: SCREENS['idle']! });
    await rig.page.locator('body > #frame').waitFor({ state: 'detached' });
    await press(SUMMONS);
    const page = rig.page.frameLocator('iframe.page');
    await page.getByRole('heading', { name: 'Technician menu' }).waitFor();
    await press('ArrowRight');
    await press('Enter');
    await page.getByRole('heading', { name: 'Now playing' }).waitFor();
    expect(asked('open')).toHaveLength(1);

    // Keys may also go to the empty page around it.
    await press('Escape');
    await press('Escape');
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
    await press(SUMMONS);
    const tiles = menu().locator('.menu-tile');
    await tiles.first().waitFor();
    await check('the first page');
    for (let i = 0; i < (await tiles.count()); i++) {
      await tiles.nth(i).click();
      await tiles.first().waitFor({ state: 'detached' });
      // A page that asks at once has its answer when its one button can be pressed again.
      await menu().locator('.menu-actions button:disabled').waitFor({ state: 'detached' });
      await check(`page ${i}`);
      await press('Escape');
      await tiles.first().waitFor();
    }
    await press('Escape');
    opened({ access: 'pin', retry_in_ms: 90_000 });
    await press(SUMMONS);
    await menu().locator('.pin-pad').waitFor();
    await check('the PIN');
  });
});
