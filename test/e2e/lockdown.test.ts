import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStageRig } from './stage-rig.ts';
import type { StageRig } from './stage-rig.ts';

let rig: StageRig;
beforeAll(async () => {
  rig = await startStageRig();
});
afterAll(() => rig.close());

/** Whether the page does not prevent the browser's default action of this event. */
const isLeftTo = (event: string) =>
  rig.page.evaluate(`(() => {
    const event = ${event};
    document.body.dispatchEvent(event);
    return !event.defaultPrevented;
  })()`);

const pressed = (init: string) =>
  `new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ${init} })`;

test.each([
  ['its menu', `new MouseEvent('contextmenu', { bubbles: true, cancelable: true })`],
  ['a file that is dropped', `new DragEvent('drop', { bubbles: true, cancelable: true })`],
  ['zooming by the wheel', `new WheelEvent('wheel', { bubbles: true, cancelable: true, ctrlKey: true })`],
  ['printing', pressed(`key: 'p', ctrlKey: true`)],
  ['closing', pressed(`key: 'w', ctrlKey: true`)],
  ['zooming', pressed(`key: '+', ctrlKey: true`)],
  ['the tools of a developer', pressed(`key: 'I', ctrlKey: true, shiftKey: true`)],
  ['leaving', pressed(`key: 'ArrowLeft', altKey: true`)],
  ['full screen', pressed(`key: 'F11'`)],
  ['its task manager', pressed(`key: 'Escape', shiftKey: true`)],
  ['going home', pressed(`key: 'BrowserHome'`)],
])('whoever stands before the screen has no use of the browser: %s', async (_, event) => {
  expect(await isLeftTo(event)).toBe(false);
});

test.each(['Tab', 'Enter', 'ArrowDown', '4'])('the key %s keeps its default action', async (key) => {
  expect(await isLeftTo(pressed(`key: '${key}'`))).toBe(true);
});
