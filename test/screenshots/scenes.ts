import { SCREENS } from '../e2e/screen-fixtures.ts';
import type { Configure } from '../e2e/screen-fixtures.ts';
import { RESPONSES, refusedResponse } from '../e2e/fake-menu-runtime.ts';
import type { FakeMenuRuntime } from '../e2e/fake-menu-runtime.ts';
import { imageShowing } from '../e2e/stage-rig.ts';
import type { StageRig } from '../e2e/stage-rig.ts';
import { waitUntil } from '../support/wait-until.ts';

/** What a scene is shown with. */
export interface SceneContext {
  rig: StageRig;
  runtime: FakeMenuRuntime;
  /** The settings that the page currently has. */
  settings: Configure;
}

/** A state of the page to take a screenshot of. */
export interface Scene {
  name: string;
  /** It contains text, so it is captured in every language. */
  hasText: boolean;
  /** Shows the scene, and resolves when it is on the screen. */
  show(context: SceneContext): Promise<void>;
  /** Returns to the state before `show`. */
  cleanUp(context: SceneContext): Promise<void>;
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
  hasText: true,
  async show({ rig }) {
    rig.send({ type: 'screen', screen });
    const screenElement = rig.page.locator('#overlay .screen:not(.starting)');
    // The screen that `cleanUp` shows is of this kind as well, with another name.
    const expected =
      screen.kind === 'paired' ? screenElement.filter({ hasText: screen.device_name }) : screenElement;
    await expected.waitFor();
  },
  cleanUp: async ({ rig }) => {
    // Another screen in between, so that `show` can wait for the next one to appear.
    rig.send({ type: 'screen', screen: { kind: 'paired', device_name: '…' } });
    await rig.page.getByRole('heading', { name: '…' }).waitFor();
  },
}));

/** The first seconds of a page that has received no message yet, so it has to be the first scene. */
const starting: Scene = {
  name: 'starting',
  hasText: true,
  show: ({ rig }) => rig.page.locator('.starting').waitFor(),
  cleanUp: async () => {},
};

const opened = RESPONSES.open;

const menuScene = (name: string, show: Scene['show'], hasText = true): Scene => ({
  name: `menu-${name}`,
  hasText,
  async show(context) {
    const { rig } = context;
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    await showPicture(context, 'sample-morning-1920x1080.jpg');
    await show(context);
  },
  async cleanUp({ rig, runtime }) {
    runtime.respondWith('open', opened);
    runtime.respondWith('unlock', RESPONSES.unlock);
    while (await rig.page.locator('#menu').isVisible()) {
      await rig.page.keyboard.press('Escape');
    }
  },
});

async function openMenu({ rig }: SceneContext, waitFor = '.menu-tile'): Promise<void> {
  await rig.page.keyboard.press('Control+Alt+Shift+S');
  await rig.page.locator(`#menu ${waitFor}`).first().waitFor();
}

async function openPage(context: SceneContext, page: (typeof MENU_PAGES)[number]): Promise<void> {
  const { rig } = context;
  await openMenu(context);
  await rig.page.locator('.menu-tile').nth(MENU_PAGES.indexOf(page)).click();
  await rig.page.locator('.menu-tile').first().waitFor({ state: 'detached' });
  // A page that sends a request when it opens has its response once no button is disabled.
  await rig.page.locator('.menu-actions button:disabled').waitFor({ state: 'detached' });
}

const menu: Scene[] = [
  menuScene('home', (context) => openMenu(context)),
  menuScene('read-only', async (context) => {
    context.runtime.respondWith('open', { ...opened, access: 'read_only' });
    await openMenu(context);
  }),
  menuScene('pin', async (context) => {
    context.runtime.respondWith('open', { ...opened, access: 'pin' });
    await openMenu(context, '.pin-pad');
    await context.rig.page.keyboard.type('47');
  }),
  menuScene('pin-wrong', async (context) => {
    context.runtime.respondWith('open', { ...opened, access: 'pin' });
    context.runtime.respondWith('unlock', refusedResponse('pin_wrong'));
    await openMenu(context, '.pin-pad');
    await context.rig.page.keyboard.type('4711');
    await context.rig.page.keyboard.press('Enter');
    await context.rig.page.locator('.pin-message:not(:empty)').waitFor();
  }),
  menuScene('pin-locked', async (context) => {
    context.runtime.respondWith('open', { ...opened, access: 'pin', retry_in_ms: 3_599_000 });
    await openMenu(context, '.pin-pad');
  }),
  ...MENU_PAGES.filter((page) => page !== 'pattern').map((page) =>
    menuScene(page, (context) => openPage(context, page)),
  ),
  menuScene('logs-saved', async (context) => {
    await openPage(context, 'logs');
    await context.rig.page.locator('.menu-actions button').last().click();
    await context.rig.page.locator('.menu-outcome .success').first().waitFor();
  }),
  ...PATTERNS.map((pattern, i) =>
    menuScene(
      `pattern-${pattern}`,
      async (context) => {
        await openPage(context, 'pattern');
        for (let steps = 0; steps < i; steps++) {
          await context.rig.page.keyboard.press('ArrowRight');
        }
        await context.rig.page.locator(`canvas[data-pattern=${pattern}]`).waitFor();
      },
      pattern === 'geometry',
    ),
  ),
];

let pictureCount = 0;

async function showPicture({ rig }: SceneContext, file: string): Promise<void> {
  pictureCount += 1;
  const id = `picture-${pictureCount}`;
  const url = await rig.addSample(file);
  rig.send({ type: 'prepare', showing: imageShowing(id, url, 3_600_000), cut: 'when_ready' });
  await waitUntil(`${file} on the stage`, () =>
    rig.messages.some((message) => message.type === 'started' && message.showing_id === id),
  );
}

const stageScene = (name: string, file: string, change: Partial<Configure>): Scene => ({
  name: `stage-${name}`,
  hasText: false,
  async show(context) {
    context.rig.send({ type: 'screen', screen: { kind: 'stage' } });
    context.rig.send({ ...context.settings, ...change });
    await showPicture(context, file);
    await context.rig.page.locator('#overlay').waitFor({ state: 'hidden' });
  },
  async cleanUp({ rig, settings }) {
    rig.send(settings);
  },
});

const LANDSCAPE_SAMPLE = 'sample-morning-1920x1080.jpg';
const PORTRAIT_SAMPLE = 'sample-menu-1080x1920.png';

const stage: Scene[] = [
  stageScene('contain', LANDSCAPE_SAMPLE, {}),
  stageScene('contain-square', 'sample-offer-1200x1200.webp', {}),
  stageScene('contain-high', PORTRAIT_SAMPLE, {}),
  stageScene('contain-blurred', PORTRAIT_SAMPLE, { background: 'blurred' }),
  stageScene('cover', PORTRAIT_SAMPLE, { fit: 'cover' }),
  stageScene('stretch', PORTRAIT_SAMPLE, { fit: 'stretch' }),
];

export const SCENES: readonly Scene[] = [starting, ...screens, ...menu, ...stage];
