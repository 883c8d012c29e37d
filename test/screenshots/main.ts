/**
 * `npm run shots`: takes a screenshot of every screen in every orientation and size, and of every screen with text in
 * every language; and of every page of the console in three sizes, light and dark, and on a phone in every language. Also checks their layout: text that leaves the panel, is cut off, overlaps or has too little contrast
 * fails the run.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { LANGUAGES, ORIENTATIONS } from '@placard/protocol';
import { Command } from 'commander';
import { z } from 'zod';
import { checkLayout } from '../e2e/layout-check.ts';
import { startFakeMenuRuntime } from '../e2e/fake-menu-runtime.ts';
import { configure } from '../e2e/screen-fixtures.ts';
import type { Configure } from '../e2e/screen-fixtures.ts';
import { startStageRig } from '../e2e/stage-rig.ts';
import { waitUntil } from '../support/wait-until.ts';
import { SCENES } from './scenes.ts';
import type { SceneContext } from './scenes.ts';
import { captureConsole } from './console/capture.ts';

const SIZES = ['1920x1080', '1080x1920', '3840x2160'] as const;

const options = new Command('npm run shots --')
  .description('Take and check screenshots of every screen of the player and every page of the console.')
  .option('--out <folder>', 'output folder; emptied first', 'shots')
  .option(
    '--only <text>',
    'only screenshots with this text in their path, such as `3840x2160/portrait/` or `menu-pin`',
    '',
  )
  .parse()
  .opts<{ out: string; only: string }>();

interface CaptureRun {
  folder: string;
  width: number;
  height: number;
  settings: Configure;
  textOnly: boolean;
}

const captureRuns: CaptureRun[] = [
  ...SIZES.flatMap((size) =>
    ORIENTATIONS.map((orientation) => ({
      folder: `${size}/${orientation}`,
      ...sizeOf(size),
      settings: configure({ orientation }),
      textOnly: false,
    })),
  ),
  ...LANGUAGES.map((language) => ({
    folder: `languages/${language}`,
    ...sizeOf('1920x1080'),
    settings: configure({ language }),
    textOnly: true,
  })),
];

const out = resolve(options.out);
await rm(out, { recursive: true, force: true });
const {
  paths: savedPaths,
  problems,
  leastContrast: leastOfConsole,
} = await captureConsole(out, options.only, console.log);
const rig = await startStageRig({ width: 1920, height: 1080 });
const runtime = startFakeMenuRuntime(rig);
let leastContrast = Number.POSITIVE_INFINITY;
try {
  for (const captureRun of captureRuns) {
    await captureScreens(captureRun);
  }
} finally {
  runtime.stop();
  await rig.close();
}
await writeFile(join(out, 'index.html'), contactSheet());
for (const problem of problems) {
  console.error(problem);
}
console.log(
  `${savedPaths.length} pictures in ${relative('', out)}, ${problems.length} problems, least contrast of screens ${leastContrast.toFixed(1)} to 1, of the console ${leastOfConsole.toFixed(1)} to 1`,
);
process.exitCode = problems.length > 0 || savedPaths.length === 0 ? 1 : 0;

async function captureScreens({ folder, width, height, settings, textOnly }: CaptureRun): Promise<void> {
  const scenes = SCENES.filter(
    (scene) => (scene.hasText || !textOnly) && `${folder}/${scene.name}.png`.includes(options.only),
  );
  if (scenes.length === 0) {
    return;
  }
  await rig.page.setViewportSize({ width, height });
  await startPage(settings);
  const context: SceneContext = { rig, runtime, settings };
  for (const scene of scenes) {
    const path = `${folder}/${scene.name}.png`;
    await scene.show(context);
    await mkdir(dirname(join(out, path)), { recursive: true });
    await rig.page.screenshot({ path: join(out, path) });
    const inspection = await checkLayout(rig.page);
    problems.push(...inspection.problems.map((problem) => `${path}: ${problem}`));
    leastContrast = Math.min(leastContrast, inspection.leastContrast ?? leastContrast);
    savedPaths.push(path);
    await scene.cleanUp(context);
  }
  console.log(`${folder}: ${scenes.length}`);
}

/** Reloads the page with the language of these settings, for the browser and for the device. */
async function startPage(settings: Configure): Promise<void> {
  const hellos = () => rig.messages.filter(({ type }) => type === 'hello').length;
  const before = hellos();
  const devtools = await rig.page.context().newCDPSession(rig.page);
  const userAgent = z.string().parse(await rig.page.evaluate('navigator.userAgent'));
  await devtools.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: settings.language });
  await rig.page.reload();
  await waitUntil('the page to say hello', () => hellos() > before);
  rig.send(settings);
}

function sizeOf(size: string): { width: number; height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}

/** An HTML page with all screenshots. */
function contactSheet(): string {
  const figures = savedPaths.map(
    (path) =>
      `<figure><a href="${path}"><img loading="lazy" src="${path}"></a><figcaption>${path}</figcaption></figure>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Screens</title>
<style>body{display:grid;grid-template-columns:repeat(auto-fill,minmax(22rem,1fr));gap:1rem;background:#777;font:14px sans-serif}
figure{margin:0}img{width:100%}</style>
${figures.join('\n')}
`;
}
