import type { CDPSession } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFrameCapture } from '../../src/shells/chromium/capture-frame.ts';
import type { DebuggingPipe } from '../../src/shells/chromium/debugging-pipe.ts';
import { startStageBrowser } from './stage-rig.ts';
import type { StageBrowser } from './stage-rig.ts';

const PANEL = { width: 640, height: 360 };
const PICTURES = 10;
/** A page that draws all the time. Drawn at another size, its last pixel is not red. */
const PAGE = `<body style="margin:0;background:teal;overflow:hidden">
  <div style="position:fixed;right:0;bottom:0;width:80px;height:80px;background:red"></div>
  <div id="clock" style="position:fixed;left:0;top:0;width:50px;height:50px"></div>
  <script>
    let count = 0;
    const draw = () => {
      clock.style.background = count++ % 2 ? 'white' : 'black';
      requestAnimationFrame(draw);
    };
    draw();
  </script>`;

let browser: StageBrowser;
beforeAll(async () => {
  browser = await startStageBrowser(PANEL);
});
afterAll(() => browser.close());

/** The debugging protocol as the shell has it. */
const pipeOf = (session: CDPSession): Pick<DebuggingPipe, 'send' | 'on'> => ({
  // Both have the commands and events of the browser, in types of their own.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  send: session.send.bind(session) as unknown as DebuggingPipe['send'],
  on: (event, listener) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    void session.on(event as 'Page.screencastFrame', (params) => listener(params as never, undefined)),
});

async function isLastPixelRed(frame: Buffer): Promise<boolean> {
  const { data, info } = await sharp(frame).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = ((info.height - 10) * info.width + info.width - 10) * info.channels;
  return data[at]! > 150 && data[at + 1]! < 100;
}

test.for([
  { which: 'scaled', maxPixels: 480, size: { width: 480, height: 270 } },
  { which: 'as large as the page', maxPixels: 640, size: PANEL },
])('pictures are $which, and no frame of the page is drawn at another size meanwhile', async (expected) => {
  const rig = await browser.openRig();
  const page = await rig.page.context().newPage();
  await page.setContent(PAGE);
  const watching = await page.context().newCDPSession(page);
  const frames: Buffer[] = [];
  watching.on('Page.screencastFrame', ({ data, sessionId }) => {
    frames.push(Buffer.from(data, 'base64'));
    void watching.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
  });
  await watching.send('Page.startScreencast', { format: 'jpeg', maxWidth: 320, maxHeight: 320 });
  // The first frames may be of the empty page before this one.
  await expect.poll(async () => frames.length > 0 && (await isLastPixelRed(frames.at(-1)!))).toBe(true);
  frames.length = 0;
  const capture = createFrameCapture(pipeOf(await page.context().newCDPSession(page)));
  for (let n = 0; n < PICTURES; n++) {
    const before = frames.length;
    const picture = await capture.capture(undefined, expected.maxPixels);
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', ...expected.size });
    expect(await isLastPixelRed(picture)).toBe(true);
    await expect.poll(() => frames.length).toBeGreaterThan(before + 1);
  }
  const wrong = (await Promise.all(frames.map(isLastPixelRed))).filter((isRight) => !isRight);
  expect(wrong).toEqual([]);
  await rig.close();
});
