import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { buildBrowserFlags } from '../../src/shells/chromium/browser-flags.ts';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';
import type { StageShowing } from '@placard/protocol/stage';
import { waitUntil } from '../support/wait-until.ts';
import { startStageHost } from './stage-host.ts';
import type { StageHost } from './stage-host.ts';

export { imageShowing, videoShowing, type MessageOfType } from './stage-host.ts';

/** Mean colour of a frame, and of its middle. */
export interface FrameColour {
  /** Seconds, the browser's clock. */
  atSeconds: number;
  red: number;
  green: number;
  blue: number;
}

export const PLAIN_COLOURS = { red: '#c03030', green: '#30a040' } as const;
export type PlainColour = keyof typeof PLAIN_COLOURS;

export interface StageRig extends StageHost {
  readonly page: Page;
  /** Records the mean colour of every frame that the browser presents until `stop`. */
  watchFrames(): Promise<{ stop(): Promise<FrameColour[]> }>;
  /** Current colour in the middle of the screen. */
  middleColour(): Promise<FrameColour>;
  /** Colour of a small square around this point of the screen. */
  colourAt(x: number, y: number): Promise<FrameColour>;
  /** Adds a picture of one colour to the media. */
  addPlainImage(colour: PlainColour): Promise<string>;
  /** Prepares the showing and waits until it is on the screen, with nothing over it. */
  play(showing: StageShowing): Promise<void>;
  close(): Promise<void>;
}

/** A real page in a real headless browser, served by a real loopback server. */
export async function startStageRig({ width = 320, height = 180 } = {}): Promise<StageRig> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-rig-'));
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const host = await startStageHost(folder);
  // The player's own flags and none of Playwright's, which disable parts of the rendering.
  const profileDir = join(folder, 'browser');
  const browser = await chromium.launchPersistentContext(profileDir, {
    executablePath: bundled.executable,
    ignoreDefaultArgs: true,
    args: buildBrowserFlags({
      profileDir,
      headless: true,
      platform: process.platform,
      env: process.env,
      // Tests run as root and in containers.
      sandbox: false,
      windowSize: { width, height },
    }),
    env: { ...definedEnv(), ...bundled.env },
    viewport: null,
  });
  const [page] = browser.pages();
  if (!page) {
    throw new Error('the browser has no page');
  }
  await page.goto(host.issuePageUrl());
  // The document is loaded before its channel is open, and messages sent before that are lost.
  await waitUntil('the page to say hello', () => host.messagesOfType('hello').length > 0);
  const devtools = await page.context().newCDPSession(page);

  return {
    ...host,
    page,
    async watchFrames() {
      const shots: { at: number; png: string }[] = [];
      devtools.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
        shots.push({ at: metadata.timestamp ?? 0, png: data });
        void devtools.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
      });
      await devtools.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
      return {
        async stop() {
          await devtools.send('Page.stopScreencast');
          return Promise.all(shots.map(async ({ at, png }) => colourOf(Buffer.from(png, 'base64'), at)));
        },
      };
    },
    middleColour: async () => colourOf(await page.screenshot()),
    // Cropped from a full screenshot: a partial one resizes the page for a moment, which the screencast records.
    colourAt: async (x, y) =>
      colourOf(
        await sharp(await page.screenshot())
          .extract({ left: x - 4, top: y - 4, width: 8, height: 8 })
          .toBuffer(),
      ),
    addPlainImage: async (colour) =>
      host.addMedia(`${colour}.png`, await plainPicture('png', PLAIN_COLOURS[colour])),
    async play(showing) {
      host.send({ type: 'prepare', showing, cut: 'after_current' });
      await waitUntil(
        `${showing.id} on the screen`,
        () => host.messagesOfType('started', showing.id).length > 0,
      );
      await page.locator('#overlay').waitFor({ state: 'hidden' });
    },
    async close() {
      await browser.close();
      await host.stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Mean colour of the middle of a PNG. */
export async function colourOf(png: Buffer, atSeconds = 0): Promise<FrameColour> {
  const { width, height } = await sharp(png).metadata();
  const { channels } = await sharp(png)
    .extract({
      left: Math.floor(width / 4),
      top: Math.floor(height / 4),
      width: Math.floor(width / 2),
      height: Math.floor(height / 2),
    })
    .toBuffer()
    .then((middle) => sharp(middle).stats());
  const [red, green, blue] = channels.map(({ mean }) => Math.round(mean));
  return { atSeconds, red: red ?? 0, green: green ?? 0, blue: blue ?? 0 };
}

/** A picture of one colour, in the format that its name says. */
export async function plainPicture(
  format: 'png' | 'jpeg' | 'webp',
  colour: string,
  { width = 640, height = 360 } = {},
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();
}

/** Red and green alternating, each for this many milliseconds. `loop`: number of repetitions; 0: endless. */
export async function blinkingPicture(
  format: 'gif' | 'webp',
  { delay = [600, 600], loop = 0 } = {},
): Promise<Buffer> {
  const frames = await Promise.all(Object.values(PLAIN_COLOURS).map((colour) => plainPicture('png', colour)));
  return sharp(frames, { join: { animated: true } })
    .toFormat(format, { delay, loop })
    .toBuffer();
}

export const isRed = ({ red, green, blue }: FrameColour) => red > 2 * green && red > 2 * blue;
export const isGreen = ({ red, green, blue }: FrameColour) => green > 1.5 * red && green > 1.5 * blue;

export function isBlack({ red, green, blue }: FrameColour): boolean {
  return red + green + blue < 24;
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
