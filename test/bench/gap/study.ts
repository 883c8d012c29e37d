/**
 * Measures from outside what is visible between two items: a real browser window on a virtual display, captured sixty
 * times a second; every item has its own colour. `npm run bench:gap-study -- --help`; see docs/measuring-gaps.md.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { setup as buildPage } from '../../e2e/build-page.ts';
import { NotMeasuredError } from '../not-measured.ts';
import { median } from './gap-analysis.ts';
import type { Transition } from './gap-analysis.ts';
import { judgeRun, sumOf } from './judge-run.ts';
import { makeMedia } from './media.ts';
import {
  CONTROL_SECONDS,
  isBlank,
  playKnownItems,
  requireBrowser,
  USUAL_SIZE,
  watchControl,
  watchPage,
} from './play-items.ts';
import type { Played } from './play-items.ts';

const HELP = `npm run bench:gap-study -- [options]
  --transitions N   transitions of each run (1000); 0 only draws the media
  --load idle|busy|both   without and with another process that burns a core (both)
  --pictures N      each run once more, with a picture of the page taken every N seconds
  --display WxH     size of the virtual display (1280x720)
  --url URL         measure this page instead, which must play the bench's media; see --media
  --seconds N       how long to watch a page of one's own (60)
  --media FOLDER    where the media are, or are drawn (a folder that is kept in node_modules)`;

const print = (text = '') => process.stdout.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(0)} ms`;

/** Prints what was seen. Returns whether it is good enough. */
function report(played: Played, expected: { transitions: number; without: Played | null }): boolean {
  const { analyzer, failures, videoFrames, picturesMs } = played;
  const seen = analyzer.transitions;
  print(`  ${'transitions'.padEnd(18)} count  black  wrong  torn   length error: median, worst`);
  const row = (name: string, of: readonly Transition[]) => {
    const errors = of.slice(of[0] === seen[0] ? 1 : 0).map(({ lengthErrorMs }) => lengthErrorMs);
    const worst = errors.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    const cells = [of.length, sumOf(of, 'black'), sumOf(of, 'wrong'), sumOf(of, 'torn')];
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
  const bad = judgeRun(played, expected);
  print(`  ${bad.length === 0 ? 'no black or wrong frame' : `FAILED: ${bad.join(', ')}`}`);
  return bad.length === 0;
}

function reportBlanks(blanksMs: readonly number[]): void {
  const blank = blanksMs.filter(isBlank);
  print(
    `  ${blank.length} of ${blanksMs.length} changes with neither item visible; their median ${ms(median(blank))}, worst ${ms(Math.max(0, ...blank))}`,
  );
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      transitions: { type: 'string', default: '1000' },
      load: { type: 'string', default: 'both' },
      pictures: { type: 'string' },
      display: { type: 'string', default: `${USUAL_SIZE.width}x${USUAL_SIZE.height}` },
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
  const [width = USUAL_SIZE.width, height = USUAL_SIZE.height] = values.display.split('x').map(Number);
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

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof NotMeasuredError) {
    print(`SKIPPED: nothing was measured: ${error.message}`);
    return 0;
  }
  throw error;
});
