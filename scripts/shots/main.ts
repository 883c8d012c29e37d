/**
 * `npm run shots`: a picture of every screen, in every orientation and size, and of every screen with words in every
 * language. Looks all of them over on the way: texts that leave the panel, are cut off, overlap, or stand out too
 * little fail the run.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { lookOver } from '../../test/e2e/look-over.ts';
import { startMenuRuntime } from '../../test/e2e/menu-runtime.ts';
import { configure, type Configure } from '../../test/e2e/scenes.ts';
import { startStageRig } from '../../test/e2e/stage-rig.ts';
import { until } from '../../test/support/until.ts';
import { SCENES, type Stand } from './scenes.ts';

const SIZES = ['1920x1080', '1080x1920', '3840x2160'] as const;
const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'] as const;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;

const options = new Command('npm run shots --')
  .description('Take and check pictures of every screen of the player.')
  .option('--out <folder>', 'where the pictures go; emptied first', 'shots')
  .option(
    '--only <text>',
    'only pictures with this in their path, such as `3840x2160/portrait/` or `menu-pin`',
    '',
  )
  .parse()
  .opts<{ out: string; only: string }>();

interface Round {
  folder: string;
  width: number;
  height: number;
  look: Configure;
  wordsOnly: boolean;
}

const rounds: Round[] = [
  ...SIZES.flatMap((size) =>
    ORIENTATIONS.map((orientation) => ({
      folder: `${size}/${orientation}`,
      ...sizeOf(size),
      look: configure({ orientation }),
      wordsOnly: false,
    })),
  ),
  ...LANGUAGES.map((language) => ({
    folder: `languages/${language}`,
    ...sizeOf('1920x1080'),
    look: configure({ language }),
    wordsOnly: true,
  })),
];

const out = resolve(options.out);
await rm(out, { recursive: true, force: true });
const rig = await startStageRig({ width: 1920, height: 1080 });
const runtime = startMenuRuntime(rig);
const taken: string[] = [];
const problems: string[] = [];
let leastContrast = Number.POSITIVE_INFINITY;
try {
  for (const round of rounds) await takeRound(round);
} finally {
  runtime.stop();
  await rig.close();
}
await writeFile(join(out, 'index.html'), contactSheet());
for (const problem of problems) console.error(problem);
console.log(
  `${taken.length} pictures in ${relative('', out)}, ${problems.length} problems, least contrast ${leastContrast.toFixed(1)} to 1`,
);
process.exitCode = problems.length > 0 || taken.length === 0 ? 1 : 0;

async function takeRound({ folder, width, height, look, wordsOnly }: Round): Promise<void> {
  const scenes = SCENES.filter(
    (scene) => (scene.words || !wordsOnly) && `${folder}/${scene.name}.png`.includes(options.only),
  );
  if (scenes.length === 0) return;
  await rig.page.setViewportSize({ width, height });
  await startPage(look);
  const stand: Stand = { rig, runtime, look };
  for (const scene of scenes) {
    const path = `${folder}/${scene.name}.png`;
    await scene.show(stand);
    await mkdir(dirname(join(out, path)), { recursive: true });
    await rig.page.screenshot({ path: join(out, path) });
    const looked = await lookOver(rig.page);
    problems.push(...looked.problems.map((problem) => `${path}: ${problem}`));
    leastContrast = Math.min(leastContrast, looked.leastContrast ?? leastContrast);
    taken.push(path);
    await scene.leave(stand);
  }
  console.log(`${folder}: ${scenes.length}`);
}

/** A page of a system and of a device that speak this language. */
async function startPage(look: Configure): Promise<void> {
  const hellos = () => rig.said.filter(({ type }) => type === 'hello').length;
  const before = hellos();
  const devtools = await rig.page.context().newCDPSession(rig.page);
  const userAgent = z.string().parse(await rig.page.evaluate('navigator.userAgent'));
  await devtools.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: look.language });
  await rig.page.reload();
  await until('the page to say hello', () => hellos() > before);
  rig.send(look);
}

function sizeOf(size: string): { width: number; height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}

/** All pictures on one page, to look at. */
function contactSheet(): string {
  const figures = taken.map(
    (path) =>
      `<figure><a href="${path}"><img loading="lazy" src="${path}"></a><figcaption>${path}</figcaption></figure>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Screens</title>
<style>body{display:grid;grid-template-columns:repeat(auto-fill,minmax(22rem,1fr));gap:1rem;background:#777;font:14px sans-serif}
figure{margin:0}img{width:100%}</style>
${figures.join('\n')}
`;
}
