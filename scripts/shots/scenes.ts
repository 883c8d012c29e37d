import { type Configure, SCREENS } from '../../test/e2e/scenes.ts';
import { ANSWERS, type MenuRuntime, refused } from '../../test/e2e/menu-runtime.ts';
import { imageShowing, type StageRig } from '../../test/e2e/stage-rig.ts';
import { until } from '../../test/support/until.ts';

/** What the scenes are played with. */
export interface Stand {
  rig: StageRig;
  runtime: MenuRuntime;
  /** How everything is shown at the moment. */
  look: Configure;
}

/** Something to photograph. */
export interface Scene {
  name: string;
  /** It has words, so it is worth seeing in every language. */
  words: boolean;
  /** Puts it on the screen, and resolves when it is there. */
  show(stand: Stand): Promise<void>;
  /** Takes it away again. */
  leave(stand: Stand): Promise<void>;
}

const MENU_PAGES = [
  'network',
  'playing',
  'pattern',
  'cache',
  'faults',
  'orientation',
  'logs',
  'clear-cache',
  'restart',
  'reboot',
  're-pair',
] as const;
const PATTERNS = ['geometry', 'colours', 'lines', 'motion'] as const;

const screens = Object.entries(SCREENS).map(([name, screen]): Scene => ({
  name,
  words: true,
  async show({ rig }) {
    rig.send({ type: 'screen', screen });
    const there = rig.page.locator('#overlay .screen:not(.starting)');
    // The screen in between is one of this kind, with another name.
    const wanted = screen.kind === 'paired' ? there.filter({ hasText: screen.device_name }) : there;
    await wanted.waitFor();
  },
  leave: async ({ rig }) => {
    // Something in between, so that the next screen is known by its coming.
    rig.send({ type: 'screen', screen: { kind: 'paired', device_name: '…' } });
    await rig.page.getByRole('heading', { name: '…' }).waitFor();
  },
}));

/** The first seconds of a page that nobody has told anything; so it has to come first. */
const starting: Scene = {
  name: 'starting',
  words: true,
  show: ({ rig }) => rig.page.locator('.starting').waitFor(),
  leave: async () => {},
};

const opened = ANSWERS.open;

const menuScene = (name: string, show: Scene['show'], words = true): Scene => ({
  name: `menu-${name}`,
  words,
  async show(stand) {
    const { rig } = stand;
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    await showPicture(stand, 'sample-morning-1920x1080.jpg');
    await show(stand);
  },
  async leave({ rig, runtime }) {
    runtime.answer('open', opened);
    runtime.answer('unlock', ANSWERS.unlock);
    while (await rig.page.locator('#menu').isVisible()) await rig.page.keyboard.press('Escape');
  },
});

async function openMenu({ rig }: Stand, waitFor = '.menu-tile'): Promise<void> {
  await rig.page.keyboard.press('Control+Alt+Shift+S');
  await rig.page.locator(`#menu ${waitFor}`).first().waitFor();
}

async function openPage(stand: Stand, page: (typeof MENU_PAGES)[number]): Promise<void> {
  const { rig } = stand;
  await openMenu(stand);
  await rig.page.locator('.menu-tile').nth(MENU_PAGES.indexOf(page)).click();
  await rig.page.locator('.menu-tile').first().waitFor({ state: 'detached' });
  // A page that asks at once has its answer when its one button can be pressed again.
  await rig.page.locator('.menu-actions button:disabled').waitFor({ state: 'detached' });
}

const menu: Scene[] = [
  menuScene('home', (stand) => openMenu(stand)),
  menuScene('read-only', async (stand) => {
    stand.runtime.answer('open', { ...opened, access: 'read_only' });
    await openMenu(stand);
  }),
  menuScene('pin', async (stand) => {
    stand.runtime.answer('open', { ...opened, access: 'pin' });
    await openMenu(stand, '.pin-pad');
    await stand.rig.page.keyboard.type('47');
  }),
  menuScene('pin-wrong', async (stand) => {
    stand.runtime.answer('open', { ...opened, access: 'pin' });
    stand.runtime.answer('unlock', refused('pin_wrong'));
    await openMenu(stand, '.pin-pad');
    await stand.rig.page.keyboard.type('4711');
    await stand.rig.page.keyboard.press('Enter');
    await stand.rig.page.locator('.pin-says:not(:empty)').waitFor();
  }),
  menuScene('pin-locked', async (stand) => {
    stand.runtime.answer('open', { ...opened, access: 'pin', retry_in_ms: 3_599_000 });
    await openMenu(stand, '.pin-pad');
  }),
  ...MENU_PAGES.filter((page) => page !== 'pattern').map((page) =>
    menuScene(page, (stand) => openPage(stand, page)),
  ),
  menuScene('logs-saved', async (stand) => {
    await openPage(stand, 'logs');
    await stand.rig.page.locator('.menu-actions button').last().click();
    await stand.rig.page.locator('.menu-outcome .well').first().waitFor();
  }),
  ...PATTERNS.map((pattern, i) =>
    menuScene(
      `pattern-${pattern}`,
      async (stand) => {
        await openPage(stand, 'pattern');
        for (let steps = 0; steps < i; steps++) await stand.rig.page.keyboard.press('ArrowRight');
        await stand.rig.page.locator(`canvas[data-pattern=${pattern}]`).waitFor();
      },
      pattern === 'geometry',
    ),
  ),
];

let pictures = 0;

async function showPicture({ rig }: Stand, file: string): Promise<void> {
  pictures += 1;
  const id = `picture-${pictures}`;
  const url = await rig.addSample(file);
  rig.send({ type: 'prepare', showing: imageShowing(id, url, 3_600_000), cut: 'when_ready' });
  await until(`${file} on the stage`, () =>
    rig.said.some((message) => message.type === 'started' && message.showing_id === id),
  );
}

const stageScene = (name: string, file: string, change: Partial<Configure>): Scene => ({
  name: `stage-${name}`,
  words: false,
  async show(stand) {
    stand.rig.send({ type: 'screen', screen: { kind: 'stage' } });
    stand.rig.send({ ...stand.look, ...change });
    await showPicture(stand, file);
    await stand.rig.page.locator('#overlay').waitFor({ state: 'hidden' });
  },
  async leave({ rig, look }) {
    rig.send(look);
  },
});

const WIDE = 'sample-morning-1920x1080.jpg';
const HIGH = 'sample-menu-1080x1920.png';

const stage: Scene[] = [
  stageScene('contain', WIDE, {}),
  stageScene('contain-square', 'sample-offer-1200x1200.webp', {}),
  stageScene('contain-high', HIGH, {}),
  stageScene('contain-blurred', HIGH, { ground: 'blurred' }),
  stageScene('cover', HIGH, { fit: 'cover' }),
  stageScene('stretch', HIGH, { fit: 'stretch' }),
];

export const SCENES: readonly Scene[] = [starting, ...screens, ...menu, ...stage];
