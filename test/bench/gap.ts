/**
 * Measures from outside what is visible between two items: a real browser window on a virtual display, captured sixty
 * times a second; every item has its own colour. `npm run bench:gap -- --help`; see docs/measuring-gaps.md.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findBrowser } from '../../src/shells/chromium/find-browser.ts';
import { setup as buildPage } from '../e2e/build-page.ts';
import type { Figure } from './figures.ts';
import { missingPackages, NotMeasuredError, requirePackages } from './not-measured.ts';
import type { Settings } from './settings.ts';
import { startControlPage } from './gap/control-page.ts';
import { captureStrip } from './gap/screen-capture.ts';
import { itemAt, makeMedia, PALETTE } from './gap/media.ts';
import type { MediaFile } from './gap/media.ts';
import { startPlayer, expectedMs } from './gap/player.ts';
import type { BenchPlayer } from './gap/player.ts';
import { openVirtualDisplay } from './gap/virtual-display.ts';
import type { VirtualDisplay } from './gap/virtual-display.ts';
import { createUnscriptedGapAnalyzer, createGapAnalyzer, median } from './gap/gap-analysis.ts';
import type { Transition } from './gap/gap-analysis.ts';

const HELP = `npm run bench:gap -- [options]
  --transitions N   transitions of each run (1000); 0 only draws the media
  --load idle|busy|both   without and with another process that burns a core (both)
  --pictures N      each run once more, with a picture of the page taken every N seconds
  --display WxH     size of the virtual display (1280x720)
  --url URL         measure this page instead, which must play the bench's media; see --media
  --seconds N       how long to watch a page of one's own (60)
  --media FOLDER    where the media are, or are drawn (a folder that is kept in node_modules)`;

const print = (text = '') => process.stdout.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(0)} ms`;

interface Size {
  width: number;
  height: number;
}

const SIZE = { width: 1280, height: 720 };
const CONTROL_SECONDS = 30;
const TRANSITIONS = 100;

/** What is needed besides the packages of npm; throws when it is not installed. */
function requireBrowser(): string {
  const browser = findBrowser({ platform: process.platform, env: process.env, exists: existsSync });
  requirePackages([...(browser ? [] : ['chromium']), ...missingPackages({ Xvfb: 'xvfb', ffmpeg: 'ffmpeg' })]);
  return browser!.executable;
}

/** A process that uses a whole core. */
function burnCpu(): { end(): void } {
  const child = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
  return { end: () => void child.kill('SIGKILL') };
}

interface Played {
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

async function playKnownItems(
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
      print(`  ${index} of ${transitions} …`);
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

const sum = (of: readonly Transition[], key: 'black' | 'wrong' | 'torn') =>
  of.reduce((total, one) => total + one[key], 0);

/** With pictures it must be as good as `without` them, but for one frame of a video. */
function report(
  { analyzer, failures, videoFrames, picturesMs }: Played,
  { transitions, without }: { transitions: number; without: Played | null },
): boolean {
  const seen = analyzer.transitions;
  print(`  ${'transitions'.padEnd(18)} count  black  wrong  torn   length error: median, worst`);
  const row = (name: string, of: readonly Transition[]) => {
    const errors = of.slice(of[0] === seen[0] ? 1 : 0).map(({ lengthErrorMs }) => lengthErrorMs);
    const worst = errors.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    const cells = [of.length, sum(of, 'black'), sum(of, 'wrong'), sum(of, 'torn')];
    print(
      `  ${name.padEnd(18)}${cells.map((cell) => String(cell).padStart(6)).join(' ')}   ${ms(median(errors))}, ${ms(worst)}`,
    );
  };
  for (const kind of new Set(seen.map((one) => one.kind))) {
    row(
      kind,
      seen.filter((one) => one.kind === kind),
    );
  }
  row('all', seen);
  const { frames, perSecond, longestGapMs } = analyzer.captureStats;
  const { black, wrong } = analyzer.remainingCounts;
  print(
    `  display captured ${frames} times, ${perSecond.toFixed(1)} a second, longest pause ${ms(longestGapMs)}`,
  );
  print(`  the page drew ${videoFrames.drawn} frames of videos and dropped ${videoFrames.dropped}`);
  if (picturesMs.length > 0) {
    print(
      `  ${picturesMs.length} pictures taken; median ${ms(median(picturesMs))}, worst ${ms(Math.max(...picturesMs))}`,
    );
  }
  print(`  load of the machine ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`);
  if (failures.length > 0) {
    print(`  not shown: ${failures.join('; ')}`);
  }
  const bad = [
    seen.length === transitions ? '' : `only ${seen.length} transitions were seen`,
    failures.length === 0 ? '' : 'items were not shown',
    sum(seen, 'black') + sum(seen, 'wrong') + black + wrong === 0 ? '' : 'black or wrong frames',
    without && sum(seen, 'torn') > sum(without.analyzer.transitions, 'torn') ? 'more torn frames' : '',
    without && videoFrames.dropped > without.videoFrames.dropped + 1 ? 'more dropped frames' : '',
  ].filter((each) => each !== '');
  print(`  ${bad.length === 0 ? 'no black or wrong frame' : `FAILED: ${bad.join(', ')}`}`);
  return bad.length === 0;
}

/** Analyses a page whose list of items is unknown. */
async function watchPage(
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

const isBlank = (ms: number) => ms > 0;

function reportBlanks(blanksMs: readonly number[]): void {
  const blank = blanksMs.filter(isBlank);
  print(
    `  ${blank.length} of ${blanksMs.length} changes with neither item visible; their median ${ms(median(blank))}, worst ${ms(Math.max(0, ...blank))}`,
  );
}

/** A page with one `<img>` and one `<video>`, which must show black. */
async function watchControl(
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

/** The row of the table: a short run on an idle machine. */
export async function measureGap({ transitions: wanted, isQuick }: Settings): Promise<Figure[]> {
  const transitions = wanted ?? (isQuick ? 4 : TRANSITIONS);
  const executable = requireBrowser();
  const files = await makeMedia();
  await buildPage();
  const seconds = isQuick ? 8 : CONTROL_SECONDS;
  const blanksMs = await watchControl(executable, files, { size: SIZE, seconds });
  const { analyzer, failures } = await playKnownItems(executable, files, {
    size: SIZE,
    transitions,
    busy: false,
    pictureSeconds: null,
  });
  const seen = analyzer.transitions;
  if (seen.length < transitions || failures.length > 0) {
    throw new Error(`${seen.length} of ${transitions} transitions were seen; ${failures.join('; ')}`);
  }
  if (!blanksMs.some(isBlank)) {
    throw new NotMeasuredError('the page that must show black showed none, so this run proves nothing');
  }
  const { black, wrong } = analyzer.remainingCounts;
  const bad = seen.filter((one) => one.black + one.wrong > 0).length + (black + wrong > 0 ? 1 : 0);
  const errorsMs = seen.slice(1).map(({ lengthErrorMs }) => Math.abs(lengthErrorMs));
  const { perSecond, longestGapMs } = analyzer.captureStats;
  return [
    {
      name: `${transitions.toLocaleString('en')} transitions on a display: with a black or wrong frame`,
      ours: (100 * bad) / transitions,
      unit: '%',
      limit: {
        name: 'page with <img> and <video>',
        value: (100 * blanksMs.filter(isBlank).length) / blanksMs.length,
      },
      goal: 0,
      detail: `${perSecond.toFixed(0)} frames captured a second, longest pause ${ms(longestGapMs)}`,
    },
    {
      name: '… error of the duration of an item, median',
      ours: median(errorsMs),
      unit: 'ms',
      limit: null,
      goal: null,
      detail: `worst ${ms(Math.max(...errorsMs))}`,
    },
  ];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      transitions: { type: 'string', default: '1000' },
      load: { type: 'string', default: 'both' },
      pictures: { type: 'string' },
      display: { type: 'string', default: `${SIZE.width}x${SIZE.height}` },
      url: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      media: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const executable = requireBrowser();
  const [width = SIZE.width, height = SIZE.height] = values.display.split('x').map(Number);
  const size = { width, height };
  const transitions = Number(values.transitions);
  if (values.url !== undefined) {
    print(values.url);
    reportBlanks(await watchPage(executable, values.url, { size, seconds: Number(values.seconds) }));
    return 0;
  }
  print('Drawing the media that are missing');
  const files = await makeMedia(values.media);
  if (transitions === 0) {
    return 0;
  }
  const pictureSeconds = values.pictures === undefined ? null : Number(values.pictures);
  if (pictureSeconds !== null && !(pictureSeconds > 0)) {
    throw new Error(`--pictures must be a number of seconds above 0, not "${values.pictures}"`);
  }
  await buildPage();
  print('\nControl: a page with one <img> and one <video>, which must show black');
  const blanksMs = await watchControl(executable, files, { size, seconds: CONTROL_SECONDS });
  reportBlanks(blanksMs);
  let good = blanksMs.some(isBlank);
  if (!good) {
    print('  The control showed no black: this measurement proves nothing.');
  }
  for (const busy of [false, true]) {
    if (values.load !== 'both' && values.load !== (busy ? 'busy' : 'idle')) {
      continue;
    }
    let without: Played | null = null;
    for (const everySeconds of pictureSeconds === null ? [null] : [null, pictureSeconds]) {
      const pictures = everySeconds === null ? '' : `, a picture every ${everySeconds} s`;
      print(`\n${busy ? 'With another process burning a core' : 'With an idle machine'}${pictures}`);
      const played = await playKnownItems(executable, files, {
        size,
        transitions,
        busy,
        pictureSeconds: everySeconds,
      });
      good = report(played, { transitions, without }) && good;
      without = played;
    }
  }
  return good ? 0 : 1;
}

if (import.meta.main) {
  process.exitCode = await main().catch((error: unknown) => {
    if (error instanceof NotMeasuredError) {
      print(`SKIPPED: nothing was measured: ${error.message}`);
      return 0;
    }
    throw error;
  });
}
