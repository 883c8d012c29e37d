import type { Locator } from 'playwright';
import type { MenuResponse, MenuRequest } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { RESPONSES, startFakeMenuRuntime } from './fake-menu-runtime.ts';
import type { FakeMenuRuntime } from './fake-menu-runtime.ts';
import { configure, SCREENS } from './screen-fixtures.ts';
import { DO_NOT_PAINT, startStageRig } from './stage-rig.ts';

export const WIDTH = 1280;
export const HEIGHT = 720;
export const MENU_SHORTCUT = 'Control+Alt+Shift+S';

/** A page whose menu is used, and a fake runtime that answers it; call `resetPage` before each test. */
export async function startMenuRig() {
  const rig = await startStageRig({ width: WIDTH, height: HEIGHT });
  let runtime: FakeMenuRuntime = startFakeMenuRuntime(rig);
  const { page } = rig;
  const menu = (): Locator => page.locator('#menu');
  const heading = (name: string): Locator => menu().getByRole('heading', { name });

  return {
    ...rig,
    menu,
    heading,
    button: (name: string): Locator => menu().getByRole('button', { name, exact: true }),
    press: (key: string) => page.keyboard.press(key),
    focused: () => page.evaluate('document.activeElement.textContent'),
    respondWith: (kind: MenuRequest['kind'], response: MenuResponse | null) =>
      runtime.respondWith(kind, response),
    /** To the opening of the menu. */
    setOpenedResponse(change: Partial<Extract<MenuResponse, { kind: 'opened' }>>): void {
      runtime.respondWith('open', { ...RESPONSES.open, ...change });
    },
    /** Requests of the page since `resetPage`. */
    requestsOfKind: (kind: MenuRequest['kind']) =>
      runtime.requests.filter((request) => request.kind === kind),

    /** Reloads the page, unpainted, with a runtime that answers without faults. */
    async resetPage(): Promise<void> {
      runtime.stop();
      await page.setViewportSize({ width: WIDTH, height: HEIGHT });
      const before = rig.messagesOfType('hello').length;
      await page.reload();
      await waitUntil('the new page to say hello', () => rig.messagesOfType('hello').length > before);
      await page.evaluate(DO_NOT_PAINT);
      rig.send(configure());
      rig.send({ type: 'screen', screen: SCREENS['idle']! });
      await page.locator('.idle').waitFor();
      runtime = startFakeMenuRuntime(rig);
    },

    async openByKeyboard(title = 'Technician menu'): Promise<void> {
      await page.keyboard.press(MENU_SHORTCUT);
      await heading(title).waitFor();
      // Until the runtime has answered, the menu shows a waiting message under the same title.
      await menu().locator('.menu-tile, .pin-pad').first().waitFor();
      await waitUntil('the focus in the menu', () =>
        page.evaluate(`document.querySelector('#menu').contains(document.activeElement)`),
      );
    },

    /** Rotates the screen, and waits until the menu has rotated. */
    async rotateToPortrait(title: string): Promise<void> {
      rig.send(configure({ orientation: 'portrait' }));
      await waitUntil('the menu on its side', async () => {
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

  /** One short touch, or one that moves by this many pixels before it ends. */
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
