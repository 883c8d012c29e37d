import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import type { CDPSession, Page } from 'playwright';
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

/** Evaluated in a page of which nobody looks at the pixels: painting them is most of its processor time. */
export const DO_NOT_PAINT = `document.documentElement.style.opacity = '0'; 0`;

export interface StageRig extends StageHost {
  readonly page: Page;
  /** Records the mean colour of every frame that the browser presents until `stop`. */
  watchFrames(): Promise<{ stop(): Promise<FrameColour[]> }>;
  /** Current colour in the middle of the screen. */
  middleColour(): Promise<FrameColour>;
  /** Colour of a small square around this point of the screen. */
  colourAt(x: number, y: number): Promise<FrameColour>;
  /** The same of several points, in one picture. */
  coloursAt(points: readonly (readonly [x: number, y: number])[]): Promise<FrameColour[]>;
  /** Adds a picture of one colour to the media. */
  addPlainImage(colour: PlainColour): Promise<string>;
  /** Prepares the showing and waits until it is on the screen, with nothing over it. */
  play(showing: StageShowing): Promise<void>;
  close(): Promise<void>;
}

/** A real headless browser with one window, for one rig after the other: its start costs more than most tests. */
export interface StageBrowser {
  /** A new page, served by a loopback server with its own port and media. */
  openRig(): Promise<StageRig>;
  close(): Promise<void>;
}

/** A real page in a real headless browser, served by a real loopback server. */
export async function startStageRig(size: { width?: number; height?: number } = {}): Promise<StageRig> {
  const browser = await startStageBrowser(size);
  const rig = await browser.openRig();
  return {
    ...rig,
    async close() {
      await rig.close();
      await browser.close();
    },
  };
}

export async function startStageBrowser({ width = 320, height = 180 } = {}): Promise<StageBrowser> {
  const profileDir = await mkdtemp(join(tmpdir(), 'placard-browser-'));
  const executable = process.env['PLACARD_TEST_BROWSER'];
  const browserProgram =
    executable === undefined ? await unpackBundledBrowser(bundledBrowserCacheDir()) : { executable, env: {} };
  // The player's own flags and none of Playwright's, which disable parts of the rendering.
  const browser = await chromium.launchPersistentContext(profileDir, {
    executablePath: browserProgram.executable,
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
    env: { ...definedEnv(), ...browserProgram.env },
    viewport: null,
  });
  const [page] = browser.pages();
  if (!page) {
    throw new Error('the browser has no page');
  }
  const devtools = await browser.newCDPSession(page);
  return {
    openRig: () => openRig(page, devtools),
    async close() {
      await browser.close();
      await rm(profileDir, { recursive: true, force: true });
    },
  };
}

async function openRig(page: Page, devtools: CDPSession): Promise<StageRig> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-rig-'));
  const host = await startStageHost(folder);
  await page.goto(host.issuePageUrl());
  // The document is loaded before its channel is open, and messages sent before that are lost.
  await waitUntil('the page to say hello', () => host.messagesOfType('hello').length > 0);

  // Always the whole screen: a picture of a part resizes the page for a moment, which the screencast records.
  const takePicture = async () => {
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    return decode(Buffer.from(data, 'base64'));
  };
  const coloursAt: StageRig['coloursAt'] = async (points) => {
    const picture = await takePicture();
    return points.map(([x, y]) => meanColour(picture, { left: x - 4, top: y - 4, width: 8, height: 8 }));
  };

  return {
    ...host,
    page,
    async watchFrames() {
      const shots: { at: number; png: string }[] = [];
      const onFrame = ({ data, sessionId, metadata }: ScreencastFrame) => {
        shots.push({ at: metadata.timestamp ?? 0, png: data });
        void devtools.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
      };
      devtools.on('Page.screencastFrame', onFrame);
      await devtools.send('Page.startScreencast', { format: 'png', everyNthFrame: 1, ...SCREENCAST_SIZE });
      return {
        async stop() {
          await devtools.send('Page.stopScreencast');
          devtools.off('Page.screencastFrame', onFrame);
          return Promise.all(shots.map(({ at, png }) => colourOf(Buffer.from(png, 'base64'), at)));
        },
      };
    },
    middleColour: async () => middleOf(await takePicture()),
    colourAt: async (x, y) => (await coloursAt([[x, y]]))[0]!,
    coloursAt,
    addPlainImage: async (colour) =>
      host.addMedia(`${colour}.png`, await plainPicture('png', PLAIN_COLOURS[colour])),
    async play(showing) {
      host.send({ type: 'prepare', showing, cut: 'after_current' });
      await waitUntil(`${showing.id} on the screen`, () => {
        const [failure] = host.messagesOfType('failed', showing.id);
        if (failure) {
          throw new Error(`${failure.reason}: ${failure.detail}`);
        }
        return host.messagesOfType('started', showing.id).length > 0;
      });
      await page.locator('#overlay').waitFor({ state: 'hidden' });
    },
    async close() {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await host.stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Enough for a mean colour; the browser scales its frames down to it. */
const SCREENCAST_SIZE = { maxWidth: 80, maxHeight: 80 };

interface ScreencastFrame {
  data: string;
  sessionId: number;
  metadata: { timestamp?: number };
}

/** Pixels of red, green and blue, row by row. */
interface Picture {
  pixels: Buffer;
  width: number;
  height: number;
}

async function decode(png: Buffer): Promise<Picture> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

function meanColour(
  { pixels, width: pictureWidth }: Picture,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
  atSeconds = 0,
): FrameColour {
  const sums = [0, 0, 0];
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        sums[channel]! += pixels[(y * pictureWidth + x) * 3 + channel]!;
      }
    }
  }
  const [red, green, blue] = sums.map((sum) => Math.round(sum / (width * height)));
  return { atSeconds, red: red!, green: green!, blue: blue! };
}

function middleOf(picture: Picture, atSeconds = 0): FrameColour {
  const { width, height } = picture;
  const middle = {
    left: Math.floor(width / 4),
    top: Math.floor(height / 4),
    width: Math.floor(width / 2),
    height: Math.floor(height / 2),
  };
  return meanColour(picture, middle, atSeconds);
}

/** Mean colour of the middle of a PNG. */
export async function colourOf(png: Buffer, atSeconds = 0): Promise<FrameColour> {
  return middleOf(await decode(png), atSeconds);
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
