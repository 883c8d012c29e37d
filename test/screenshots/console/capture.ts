import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright';
import { checkConsoleLayout } from '../../e2e/layout-check.ts';
import type { ConsoleRig } from '../../e2e/console-rig.ts';
import type { Seeded } from './organization.ts';
import { settle, showScene, withOrganization } from './open-scene.ts';
import { CONSOLE_SCENES } from './scenes.ts';
import type { ConsoleScene } from './scenes.ts';

interface Size {
  name: string;
  width: number;
  height: number;
}
const DESK: Size = { name: '1440x900', width: 1440, height: 900 };
const TABLET: Size = { name: '820x1180', width: 820, height: 1180 };
const PHONE: Size = { name: '390x844', width: 390, height: 844 };
const THEMES = ['light', 'dark'] as const;
/** Besides English. */
const LANGUAGES = ['de', 'fr', 'es', 'ja'] as const;
/** Pages may be longer; what is below is cut. */
const LONGEST_PX = 3200;
/** What may take a part of the height of the window grows with it. */
const MAX_PASSES = 2;

interface Look {
  folder: string;
  size: Size;
  theme: (typeof THEMES)[number];
  language: string;
  isTouched: boolean;
}

const LOOKS: readonly Look[] = [
  ...THEMES.flatMap((theme) =>
    [DESK, TABLET, PHONE].map((size) => ({
      folder: theme,
      size,
      theme,
      language: 'en',
      isTouched: size !== DESK,
    })),
  ),
  ...LANGUAGES.map((language) => ({
    folder: language,
    size: PHONE,
    theme: 'light' as const,
    language,
    isTouched: true,
  })),
];

/** What was taken and found. */
export interface Captured {
  paths: string[];
  problems: string[];
  leastContrast: number;
}

/**
 * Takes a screenshot of every page of the console in three sizes, light and dark, and on a phone in every language; of an organization
 * with sixty screens and of an empty one. Only those whose path contains `only`.
 */
export async function captureConsole(
  out: string,
  only: string,
  say: (progress: string) => void,
): Promise<Captured> {
  const captured: Captured = { paths: [], problems: [], leastContrast: Number.POSITIVE_INFINITY };
  const isWanted = (look: Look, { name }: ConsoleScene) => pathOf(look, name).includes(only);
  const scenes = CONSOLE_SCENES.filter((scene) => LOOKS.some((look) => isWanted(look, scene)));
  for (const isEmpty of [false, true]) {
    const here = scenes.filter((scene) => (scene.isEmpty ?? false) === isEmpty);
    if (here.length > 0) {
      await withOrganization(isEmpty, async (rig, seeded) => {
        for (const look of LOOKS) {
          const wanted = here.filter((scene) => isWanted(look, scene));
          if (wanted.length > 0) {
            const before = captured.problems.length;
            await captureLook({ rig, seeded, look, scenes: wanted, out, captured });
            const found = captured.problems.slice(before);
            say(
              `console/${look.folder}/${look.size.name}: ${wanted.length} pictures, ${found.length} problems`,
            );
            found.forEach(say);
          }
        }
      });
    }
  }
  return captured;
}

const pathOf = ({ folder, size }: Look, scene: string) => `console/${folder}/${size.name}/${scene}.png`;

async function captureLook({
  rig,
  seeded,
  look,
  scenes,
  out,
  captured,
}: {
  rig: ConsoleRig;
  seeded: Seeded;
  look: Look;
  scenes: readonly ConsoleScene[];
  out: string;
  captured: Captured;
}): Promise<void> {
  const { page } = await rig.startBrowser({
    viewport: look.size,
    colorScheme: look.theme,
    locale: look.language,
    timezoneId: 'Europe/Berlin',
    hasTouch: look.isTouched,
    isMobile: look.isTouched,
  });
  for (const scene of scenes) {
    const path = pathOf(look, scene.name);
    await seeded.keepOnline();
    await showScene(page, { rig, scene, path: scene.path(seeded) }).catch((error: unknown) =>
      captured.problems.push(`${path}: ${String(error)}`),
    );
    await settle(page);
    await mkdir(dirname(join(out, path)), { recursive: true });
    const { problems, leastContrast } = await checkConsoleLayout(page);
    await takePicture(page, join(out, path), look.size);
    captured.problems.push(...problems.map((problem) => `${path}: ${problem}`));
    captured.leastContrast = Math.min(captured.leastContrast, leastContrast ?? captured.leastContrast);
    captured.paths.push(path);
  }
  await page.context().close();
}

/** Takes a picture of the whole page, or of the window if something is above the page. */
async function takePicture(page: Page, path: string, { width, height }: Size): Promise<void> {
  if ((await page.locator('[role=dialog], [role=menu]').count()) > 0) {
    await page.screenshot({ path });
    return;
  }
  await page.evaluate('scrollTo(0, 0)');
  // In a window of that height, so that bars at its edge are at the end of the page.
  let tallest = height;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const wanted = Number(await page.evaluate('document.documentElement.scrollHeight'));
    if (wanted <= tallest || tallest === LONGEST_PX) {
      break;
    }
    tallest = Math.min(wanted, LONGEST_PX);
    await page.setViewportSize({ width, height: tallest });
    await settle(page);
  }
  await page.screenshot({ path });
  await page.setViewportSize({ width, height });
}
