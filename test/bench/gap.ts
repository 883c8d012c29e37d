/**
 * What is seen between two items, measured from outside: a real browser window on a virtual display, read sixty
 * times a second, in which every item is known by its colour. `npm run bench:gap -- --help`; see docs/measuring-gaps.md.
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
import { startControl } from './gap/control.ts';
import { grabStrip } from './gap/grab.ts';
import { itemAt, makeMedia, PALETTE, type MediaFile } from './gap/media.ts';
import { startPlayer, wantedMs } from './gap/player.ts';
import { openScreen } from './gap/screen.ts';
import { createOpenVerdict, createVerdict, median, type Transition } from './gap/verdict.ts';

const HELP = `npm run bench:gap -- [options]
  --transitions N   transitions of each run (1000); 0 only draws the media
  --load idle|busy|both   without and with another process that burns a core (both)
  --display WxH     size of the virtual display (1280x720)
  --url URL         measure this page instead, which must play the bench's media; see --media
  --seconds N       how long to watch a page of one's own (60)
  --media FOLDER    draw the media into this folder, unless they are there, and leave them there`;

const line = (text = '') => process.stdout.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(0)} ms`;

const has = (command: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
const browser = findBrowser({ platform: process.platform, env: process.env, exists: existsSync });
/** Debian packages that npm does not bring. */
const lacking = [browser ? '' : 'chromium', has('Xvfb') ? '' : 'xvfb', has('ffmpeg') ? '' : 'ffmpeg'].filter(
  Boolean,
);

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

/** Another process that wants a core for itself. */
function burn(): { end(): void } {
  const child = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
  return { end: () => void child.kill('SIGKILL') };
}

async function playKnownItems(executable: string, files: MediaFile[], busy: boolean): Promise<boolean> {
  line(`\n${busy ? 'With another process burning a core' : 'With an idle machine'}`);
  const items = Array.from({ length: transitions + 1 }, (_, index) => {
    const file = itemAt(files, index);
    return { colour: PALETTE[file.colour]!.rgb, kind: file.kind, wantedMs: wantedMs(file, index) };
  });
  const verdict = createVerdict(items);
  const player = await startPlayer(files, transitions, (index) => {
    if (index > 0 && index % 100 === 0) line(`  ${index} of ${transitions} …`);
  });
  const screen = await openScreen(executable, size);
  const burner = busy ? burn() : null;
  try {
    const grab = grabStrip(screen.display, size, (frame) => verdict.look(frame));
    await screen.open(player.url);
    await player.finished;
    await wait(1_000);
    await grab.stop();
  } finally {
    burner?.end();
    await screen.close();
    await player.close();
  }
  return report(verdict, player.failures);
}

const sum = (of: readonly Transition[], key: 'black' | 'wrong' | 'torn') =>
  of.reduce((total, one) => total + one[key], 0);

function report(verdict: ReturnType<typeof createVerdict>, failures: readonly string[]): boolean {
  const seen = verdict.transitions;
  line(`  ${'transitions'.padEnd(18)} count  black  wrong  torn   length error: median, worst`);
  const row = (name: string, of: readonly Transition[]) => {
    const errors = of.slice(of[0] === seen[0] ? 1 : 0).map(({ lengthErrorMs }) => lengthErrorMs);
    const worst = errors.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    const cells = [of.length, sum(of, 'black'), sum(of, 'wrong'), sum(of, 'torn')];
    line(
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
  const { frames, perSecond, longestGapMs } = verdict.grabbed;
  const { black, wrong } = verdict.afterwards;
  line(
    `  display read ${frames} times, ${perSecond.toFixed(1)} a second, longest time unread ${ms(longestGapMs)}`,
  );
  line(`  load of the machine ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`);
  if (failures.length > 0) line(`  not shown: ${failures.join('; ')}`);
  const good =
    seen.length === transitions &&
    failures.length === 0 &&
    sum(seen, 'black') + sum(seen, 'wrong') + black + wrong === 0;
  line(`  ${good ? 'no black or wrong frame' : 'FAILED'}`);
  return good;
}

/** Watches a page whose list of items is not known here. */
async function watchPage(executable: string, url: string, seconds: number): Promise<number> {
  const verdict = createOpenVerdict(PALETTE.map(({ rgb }) => rgb));
  const screen = await openScreen(executable, size);
  try {
    const grab = grabStrip(screen.display, size, (frame) => verdict.look(frame));
    await screen.open(url);
    await wait(seconds * 1_000);
    await grab.stop();
  } finally {
    await screen.close();
  }
  const blank = verdict.blanksMs.filter((one) => one > 0);
  line(
    `  ${blank.length} of ${verdict.blanksMs.length} changes with neither item; when so, median ${ms(median(blank))}, worst ${ms(Math.max(0, ...blank))}`,
  );
  return blank.length;
}

async function main(): Promise<number> {
  if (values.help) {
    line(HELP);
    return 0;
  }
  if (!browser || lacking.length > 0) {
    line(`SKIPPED: nothing was measured. Needed: apt-get install ${lacking.join(' ')}`);
    return 0;
  }
  const { executable } = browser;
  if (values.url !== undefined) {
    line(values.url);
    await watchPage(executable, values.url, Number(values.seconds));
    return 0;
  }
  const folder = values.media ?? (await mkdtemp(join(tmpdir(), 'placard-gap-media-')));
  try {
    line(`Drawing media into ${folder}`);
    const files = await makeMedia(folder);
    if (transitions === 0) return 0;
    await build({
      configFile: resolve(import.meta.dirname, '../../renderer/vite.config.ts'),
      logLevel: 'warn',
    });
    line('\nControl: a page with one <img> and one <video>, which must show black');
    const control = await startControl(files);
    const controlBlanks = await watchPage(executable, control.url, 30);
    await control.close();
    if (controlBlanks === 0) line('  The control showed no black: this measurement proves nothing.');
    let good = controlBlanks > 0;
    for (const busy of [false, true]) {
      if (values.load !== 'both' && values.load !== (busy ? 'busy' : 'idle')) continue;
      good = (await playKnownItems(executable, files, busy)) && good;
    }
    return good ? 0 : 1;
  } finally {
    if (values.media === undefined) await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
