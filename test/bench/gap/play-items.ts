/** Plays items in a real browser window on a virtual display, and says what was visible from outside. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { findBrowser } from '../../../src/shells/chromium/find-browser.ts';
import { missingPackages, requirePackages } from '../not-measured.ts';
import { startControlPage } from './control-page.ts';
import { createGapAnalyzer, createUnscriptedGapAnalyzer } from './gap-analysis.ts';
import { itemAt, PALETTE } from './media.ts';
import type { MediaFile } from './media.ts';
import { expectedMs, startPlayer } from './player.ts';
import type { BenchPlayer } from './player.ts';
import { captureStrip } from './screen-capture.ts';
import { openVirtualDisplay } from './virtual-display.ts';
import type { VirtualDisplay } from './virtual-display.ts';

/** Of the display. */
export interface Size {
  width: number;
  height: number;
}

export const USUAL_SIZE: Size = { width: 1280, height: 720 };
/** How long the page is watched that must show black. */
export const CONTROL_SECONDS = 30;

/** What is needed besides the packages of npm; throws when it is not installed. */
export function requireBrowser(): string {
  const browser = findBrowser({ platform: process.platform, env: process.env, exists: existsSync });
  requirePackages([...(browser ? [] : ['chromium']), ...missingPackages({ Xvfb: 'xvfb', ffmpeg: 'ffmpeg' })]);
  return browser!.executable;
}

/** A process that uses a whole core. */
function burnCpu(): { end(): void } {
  const child = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
  return { end: () => void child.kill('SIGKILL') };
}

/** What was seen of the player. */
export interface Played {
  analyzer: ReturnType<typeof createGapAnalyzer>;
  failures: readonly string[];
  videoFrames: BenchPlayer['frames'];
  /** How long each picture took. */
  picturesMs: readonly number[];
}

/** Takes a picture of the page so often, until it is stopped. */
function takePictures(screen: VirtualDisplay, everySeconds: number) {
  const tookMs: number[] = [];
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      await wait(everySeconds * 1_000, null, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) {
        const beganMs = performance.now();
        await screen.takePicture();
        tookMs.push(performance.now() - beganMs);
      }
    }
    return tookMs;
  };
  const done = run();
  // Reported when it is stopped.
  done.catch(() => {});
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}

/** Plays known items with the page of the player, perhaps beside a process that burns a core, and takes pictures of the page. */
export async function playKnownItems(
  executable: string,
  files: MediaFile[],
  {
    size,
    transitions,
    busy,
    pictureSeconds,
  }: { size: Size; transitions: number; busy: boolean; pictureSeconds: number | null },
): Promise<Played> {
  const items = Array.from({ length: transitions + 1 }, (_, index) => {
    const file = itemAt(files, index);
    return { colour: PALETTE[file.colour]!.rgb, kind: file.kind, expectedMs: expectedMs(file, index) };
  });
  const analyzer = createGapAnalyzer(items);
  const player = await startPlayer(files, transitions, (index) => {
    if (index > 0 && index % 100 === 0) {
      process.stdout.write(`  ${index} of ${transitions} …\n`);
    }
  });
  const screen = await openVirtualDisplay(executable, size);
  const burner = busy ? burnCpu() : null;
  let picturesMs: readonly number[] = [];
  try {
    const grab = captureStrip(screen.display, size, (frame) => analyzer.addFrame(frame));
    await screen.open(player.url);
    const pictures = pictureSeconds === null ? null : takePictures(screen, pictureSeconds);
    await player.finished;
    picturesMs = (await pictures?.stop()) ?? [];
    await wait(1_000);
    await grab.stop();
  } finally {
    burner?.end();
    await screen.close();
    await player.close();
  }
  return { analyzer, failures: player.failures, videoFrames: player.frames, picturesMs };
}

/** Analyses a page whose list of items is unknown. */
export async function watchPage(
  executable: string,
  url: string,
  { size, seconds }: { size: Size; seconds: number },
) {
  const analyzer = createUnscriptedGapAnalyzer(PALETTE.map(({ rgb }) => rgb));
  const screen = await openVirtualDisplay(executable, size);
  try {
    const grab = captureStrip(screen.display, size, (frame) => analyzer.addFrame(frame));
    await screen.open(url);
    await wait(seconds * 1_000);
    await grab.stop();
  } finally {
    await screen.close();
  }
  return analyzer.blanksMs;
}

/** Of a time between two items: with neither of them visible. */
export const isBlank = (ms: number): boolean => ms > 0;

/** A page with one `<img>` and one `<video>`, which must show black. */
export async function watchControl(
  executable: string,
  files: readonly MediaFile[],
  watch: { size: Size; seconds: number },
) {
  const control = await startControlPage(files);
  try {
    return await watchPage(executable, control.url, watch);
  } finally {
    await control.close();
  }
}
