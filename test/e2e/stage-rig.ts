import { createHash, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { browserFlags } from '../../src/shells/chromium/browser-flags.ts';
import { carriedCacheDir, unpackCarriedBrowser } from '../../src/shells/chromium/carried-browser.ts';
import type { FromStage, Showing, ToStage } from '../../src/stage-link/messages.ts';
import { createStageServer, type StageServer } from '../../src/stage-link/server.ts';
import { until } from '../support/until.ts';

const RENDERER_DIR = resolve(import.meta.dirname, '../../dist/renderer');
const SAMPLES_DIR = resolve(import.meta.dirname, '../media');
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/** Mean colour of a frame, and of its middle. */
export interface FrameColour {
  /** Seconds, the browser's clock. */
  at: number;
  red: number;
  green: number;
  blue: number;
}

export type Heard<Type extends FromStage['type']> = Extract<FromStage, { type: Type }>;

export interface StageRig {
  readonly page: Page;
  /** Names the browser among all processes of the machine. */
  readonly profileDir: string;
  /** What the page has said, without its beats; `hello` of every connection included. */
  readonly said: FromStage[];
  readonly beats: () => number;
  send(message: ToStage): void;
  /** Messages of this type so far; of this showing only, when it is given. */
  heard<Type extends FromStage['type']>(type: Type, id?: string): Heard<Type>[];
  /** Puts a file into the media store; answers with its path on the server. */
  addMedia(name: string, bytes: Uint8Array): Promise<string>;
  addSample(name: string): Promise<string>;
  sampleBytes(name: string): Promise<Buffer>;
  /** From now on the server sends so many bytes of this file, in all, and then nothing more. */
  fallSilent(url: string, afterBytes: number): void;
  /** Takes the loopback server away, as when the runtime dies. */
  stopServer(): Promise<void>;
  /** The same port and session again. */
  startServer(): Promise<void>;
  /** Mean colour of everything the browser presents until `stop`. */
  watchFrames(): Promise<{ stop(): Promise<FrameColour[]> }>;
  /** Colour of what is on the screen now, in the middle. */
  middle(): Promise<FrameColour>;
  /** Colour of a small square around this point of the screen. */
  at(x: number, y: number): Promise<FrameColour>;
  /** Prepares it and waits until it is on the screen, with nothing over it. */
  play(showing: Showing): Promise<void>;
  close(): Promise<void>;
}

/** A real page in a real headless browser, served by a real stage server. */
export async function startStageRig({ width = 320, height = 180 } = {}): Promise<StageRig> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-rig-'));
  const carried = await unpackCarriedBrowser(carriedCacheDir());
  const session = randomUUID() + randomUUID();
  const media = new Map<string, { path: string; size: number; contentType: string }>();
  const said: FromStage[] = [];
  let beats = 0;
  let port = 0;
  let server: StageServer | null = null;

  async function startServer(): Promise<void> {
    server = createStageServer({
      rendererDir: RENDERER_DIR,
      session,
      log: { info: () => {}, warn: () => {} },
      findMedia: async (sha256) => media.get(sha256) ?? null,
      onMessage: (message) => {
        if (message.type === 'beat') beats += 1;
        else said.push(message);
        if ('seq' in message && message.seq) server?.send({ type: 'ack', seq: message.seq });
      },
      onConnection: () => {},
    });
    port = await server.listen(port);
  }

  async function addMedia(name: string, bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = join(folder, name);
    await writeFile(path, bytes);
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
    media.set(sha256, { path, size: bytes.length, contentType });
    return `/media/${sha256}`;
  }

  const silences = new Map<string, { leftBytes: number }>();
  function silence(message: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node publishes on this channel
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const silent = silences.get(request.url ?? '');
    if (!silent) return;
    const write = response.write.bind(response);
    // The last piece is never acknowledged, so nobody sends another one.
    response.write = (chunk: Buffer) => {
      const piece = chunk.subarray(0, silent.leftBytes);
      silent.leftBytes -= piece.length;
      if (piece.length > 0) write(piece);
      return piece.length === chunk.length;
    };
  }
  subscribe('http.server.request.start', silence);

  await startServer();
  // The player's own flags and none of the test tool's, which would switch parts of the drawing off.
  const profileDir = join(folder, 'browser');
  const browser = await chromium.launchPersistentContext(profileDir, {
    executablePath: carried.executable,
    ignoreDefaultArgs: true,
    args: browserFlags({
      profileDir,
      headless: true,
      platform: process.platform,
      env: process.env,
      // Tests run as root and in containers.
      sandbox: false,
      windowSize: { width, height },
    }),
    env: { ...definedEnv(), ...carried.env },
    viewport: null,
  });
  const [page] = browser.pages();
  if (!page) throw new Error('the browser has no page');
  await page.goto(server!.issuePageUrl());
  // The document is loaded before its channel is open, and what is sent before that reaches nobody.
  await until('the page to say hello', () => said.some(({ type }) => type === 'hello'));
  const devtools = await page.context().newCDPSession(page);

  return {
    page,
    profileDir,
    said,
    beats: () => beats,
    send: (message) => server?.send(message),
    heard: <Type extends FromStage['type']>(type: Type, id?: string) =>
      said.filter(
        (message): message is Heard<Type> =>
          message.type === type &&
          (id === undefined || ('showing_id' in message && message.showing_id === id)),
      ),
    addMedia,
    addSample: async (name) => addMedia(name, await readFile(join(SAMPLES_DIR, name))),
    sampleBytes: (name) => readFile(join(SAMPLES_DIR, name)),
    fallSilent: (url, afterBytes) => void silences.set(url, { leftBytes: afterBytes }),
    async stopServer() {
      await server?.close();
      server = null;
    },
    startServer,
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
    middle: async () => colourOf(await page.screenshot()),
    // Cut out of the whole: a screenshot of a part makes the page that small for a moment, and the screencast sees it.
    at: async (x, y) =>
      colourOf(
        await sharp(await page.screenshot())
          .extract({ left: x - 4, top: y - 4, width: 8, height: 8 })
          .toBuffer(),
      ),
    async play(showing) {
      server?.send({ type: 'prepare', showing, cut: 'after_current' });
      await until(`${showing.id} on the screen`, () =>
        said.some((message) => message.type === 'started' && message.showing_id === showing.id),
      );
      await page.locator('#overlay').waitFor({ state: 'hidden' });
    },
    async close() {
      unsubscribe('http.server.request.start', silence);
      await browser.close();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Mean colour of the middle of a PNG. */
export async function colourOf(png: Buffer, at = 0): Promise<FrameColour> {
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
  return { at, red: red ?? 0, green: green ?? 0, blue: blue ?? 0 };
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

export function imageShowing(id: string, url: string, duration_ms: number | null): Showing {
  return { id, kind: 'image', url, duration_ms, video_end_ms: null };
}

export function videoShowing(id: string, url: string, duration_ms: number | null = null): Showing {
  return { id, kind: 'video', url, duration_ms, video_end_ms: null };
}

export function isBlack({ red, green, blue }: FrameColour): boolean {
  return red + green + blue < 24;
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
