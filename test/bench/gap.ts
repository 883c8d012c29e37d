/**
 * Measures from outside what is visible between two items: a real browser window on a virtual display, captured sixty
 * times a second; every item has its own colour. `npm run bench:gap -- --help`; see docs/measuring-gaps.md.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { findBrowser } from '../../src/shells/chromium/find-browser.ts';
import { startControlPage } from './gap/control-page.ts';
import { captureStrip } from './gap/screen-capture.ts';
import { itemAt, makeMedia, PALETTE } from './gap/media.ts';
import type { MediaFile } from './gap/media.ts';
import { startPlayer, expectedMs } from './gap/player.ts';
import { openVirtualDisplay } from './gap/virtual-display.ts';
import { createUnscriptedGapAnalyzer, createGapAnalyzer, median } from './gap/gap-analysis.ts';
import type { Transition } from './gap/gap-analysis.ts';

const HELP = `npm run bench:gap -- [options]
  --transitions N   transitions of each run (1000); 0 only draws the media
  --load idle|busy|both   without and with another process that burns a core (both)
  --display WxH     size of the virtual display (1280x720)
  --url URL         measure this page instead, which must play the bench's media; see --media
  --seconds N       how long to watch a page of one's own (60)
  --media FOLDER    draw the media into this folder, unless they are there, and leave them there`;

const print = (text = '') => process.stdout.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(0)} ms`;

const isInstalled = (command: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
const browser = findBrowser({ platform: process.platform, env: process.env, exists: existsSync });
/** Debian packages that are needed besides npm's. */
const missingPackages = [
  browser ? '' : 'chromium',
  isInstalled('Xvfb') ? '' : 'xvfb',
  isInstalled('ffmpeg') ? '' : 'ffmpeg',
].filter(Boolean);

const { values } = parseArgs({
  options: {
    transitions: { type: 'string', default: '1000' },
    load: { type: 'string', default: 'both' },
    display: { type: 'string', default: '1280x720' },
    url: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    media: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [width = 1280, height = 720] = values.display.split('x').map(Number);
const size = { width, height };
const transitions = Number(values.transitions);

/** A process that uses a whole core. */
function burnCpu(): { end(): void } {
  const child = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
  return { end: () => void child.kill('SIGKILL') };
}

async function playKnownItems(executable: string, files: MediaFile[], busy: boolean): Promise<boolean> {
  print(`\n${busy ? 'With another process burning a core' : 'With an idle machine'}`);
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
  try {
    const grab = captureStrip(screen.display, size, (frame) => analyzer.addFrame(frame));
    await screen.open(player.url);
    await player.finished;
    await wait(1_000);
    await grab.stop();
  } finally {
    burner?.end();
    await screen.close();
    await player.close();
  }
  return report(analyzer, player.failures);
}

const sum = (of: readonly Transition[], key: 'black' | 'wrong' | 'torn') =>
  of.reduce((total, one) => total + one[key], 0);

function report(analyzer: ReturnType<typeof createGapAnalyzer>, failures: readonly string[]): boolean {
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
  print(`  load of the machine ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`);
  if (failures.length > 0) {
    print(`  not shown: ${failures.join('; ')}`);
  }
  const good =
    seen.length === transitions &&
    failures.length === 0 &&
    sum(seen, 'black') + sum(seen, 'wrong') + black + wrong === 0;
  print(`  ${good ? 'no black or wrong frame' : 'FAILED'}`);
  return good;
}

/** Analyses a page whose list of items is unknown. */
async function watchPage(executable: string, url: string, seconds: number): Promise<number> {
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
  const blank = analyzer.blanksMs.filter((one) => one > 0);
  print(
    `  ${blank.length} of ${analyzer.blanksMs.length} changes with neither item visible; their median ${ms(median(blank))}, worst ${ms(Math.max(0, ...blank))}`,
  );
  return blank.length;
}

async function main(): Promise<number> {
  if (values.help) {
    print(HELP);
    return 0;
  }
  if (!browser || missingPackages.length > 0) {
    print(`SKIPPED: nothing was measured. Needed: apt-get install ${missingPackages.join(' ')}`);
    return 0;
  }
  const { executable } = browser;
  if (values.url !== undefined) {
    print(values.url);
    await watchPage(executable, values.url, Number(values.seconds));
    return 0;
  }
  const folder = values.media ?? (await mkdtemp(join(tmpdir(), 'placard-gap-media-')));
  try {
    print(`Drawing media into ${folder}`);
    const files = await makeMedia(folder);
    if (transitions === 0) {
      return 0;
    }
    await build({
      configFile: resolve(import.meta.dirname, '../../renderer/vite.config.ts'),
      logLevel: 'warn',
    });
    print('\nControl: a page with one <img> and one <video>, which must show black');
    const control = await startControlPage(files);
    const controlBlanks = await watchPage(executable, control.url, 30);
    await control.close();
    if (controlBlanks === 0) {
      print('  The control showed no black: this measurement proves nothing.');
    }
    let good = controlBlanks > 0;
    for (const busy of [false, true]) {
      if (values.load !== 'both' && values.load !== (busy ? 'busy' : 'idle')) {
        continue;
      }
      good = (await playKnownItems(executable, files, busy)) && good;
    }
    return good ? 0 : 1;
  } finally {
    if (values.media === undefined) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

process.exitCode = await main();
