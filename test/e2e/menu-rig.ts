import type { Locator } from 'playwright';
import type { MenuAnswer, MenuRequest } from '../../src/stage-link/messages.ts';
import { until } from '../support/until.ts';
import { ANSWERS, startMenuRuntime, type MenuRuntime } from './menu-runtime.ts';
import { configure, SCREENS } from './scenes.ts';
import { startStageRig } from './stage-rig.ts';

export const WIDTH = 1280;
export const HEIGHT = 720;
export const SUMMONS = 'Control+Alt+Shift+S';

/** A page whose menu is asked for, and a runtime that answers it; `freshPage` comes before each test. */
export async function startMenuRig() {
  const rig = await startStageRig({ width: WIDTH, height: HEIGHT });
  let runtime: MenuRuntime = startMenuRuntime(rig);
  const { page } = rig;
  const menu = (): Locator => page.locator('#menu');
  const heading = (name: string): Locator => menu().getByRole('heading', { name });

  return {
    ...rig,
    menu,
    heading,
    named: (name: string): Locator => menu().getByRole('button', { name, exact: true }),
    press: (key: string) => page.keyboard.press(key),
    focused: () => page.evaluate('document.activeElement.textContent'),
    answer: (kind: MenuRequest['kind'], answer: MenuAnswer | null) => runtime.answer(kind, answer),
    /** To the opening of the menu. */
    opened(change: Partial<Extract<MenuAnswer, { kind: 'opened' }>>): void {
      runtime.answer('open', { ...ANSWERS.open, ...change });
    },
    /** What the page has asked since it is fresh. */
    asked: (kind: MenuRequest['kind']) => runtime.asked.filter((request) => request.kind === kind),

    /** The page as if just started, and a runtime that answers as when all is well. */
    async freshPage(): Promise<void> {
      runtime.stop();
      await page.setViewportSize({ width: WIDTH, height: HEIGHT });
      const before = rig.heard('hello').length;
      await page.reload();
      await until('the new page to say hello', () => rig.heard('hello').length > before);
      rig.send(configure());
      rig.send({ type: 'screen', screen: SCREENS['idle']! });
      await page.locator('.idle').waitFor();
      runtime = startMenuRuntime(rig);
    },

    async openByKeys(title = 'Technician menu'): Promise<void> {
      await page.keyboard.press(SUMMONS);
      await heading(title).waitFor();
      // Until the runtime has answered, the menu says so under the same name.
      await menu().locator('.menu-tile, .pin-pad').first().waitFor();
      await until('the focus in the menu', () =>
        page.evaluate(`document.querySelector('#menu').contains(document.activeElement)`),
      );
    },

    /** Turns the picture, and waits for the menu to have turned with it. */
    async turnOnItsSide(title: string): Promise<void> {
      rig.send(configure({ orientation: 'portrait' }));
      await until('the menu on its side', async () => {
        const box = await heading(title).boundingBox();
        return box && box.height > box.width;
      });
    },

    touch,
    touchOn,
    async close(): Promise<void> {
      runtime.stop();
      await rig.close();
    },
  };

  /** One short touch of a finger, or one that moves by so many pixels before it ends. */
  async function touch(x: number, y: number, move = { x: 0, y: 0 }): Promise<void> {
    const steps = move.x === 0 && move.y === 0 ? 0 : 10;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    for (let i = 1; i <= steps; i++) {
      const touchPoints = [{ x: x + (move.x * i) / steps, y: y + (move.y * i) / steps }];
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
    }
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await devtools.detach();
  }

  async function touchOn(target: Locator): Promise<void> {
    const { x, y, width, height } = (await target.boundingBox())!;
    await touch(x + width / 2, y + height / 2);
  }
}

export type MenuRig = Awaited<ReturnType<typeof startMenuRig>>;
