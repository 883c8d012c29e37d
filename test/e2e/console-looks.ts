import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';
import { z } from 'zod';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const findings = z.array(
  z.object({ id: z.string(), impact: z.string().nullable(), where: z.array(z.string()) }),
);

const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'];
interface Look {
  language: string;
  colorScheme: 'light' | 'dark';
}

/**
 * The looks in which an area of the console is checked: one language in light colours and the next one in dark ones. Areas that
 * are tested with five numbers in turn cover all ten; `npm run test:accessibility` tries every area in each.
 */
export function looks(turn: number): Look[] {
  const lookOf = (index: number, colorScheme: Look['colorScheme']): Look => ({
    language: LANGUAGES[index % LANGUAGES.length]!,
    colorScheme,
  });
  return process.env['PLACARD_ALL_LOOKS'] === undefined
    ? [lookOf(turn, 'light'), lookOf(turn + 1, 'dark')]
    : LANGUAGES.flatMap((_, index) => [lookOf(index, 'light'), lookOf(index, 'dark')]);
}

/** What the next page that is loaded looks like. */
export async function chooseLook(page: Page, { language, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate((chosen) => localStorage.setItem('placard.language', chosen), language);
}

/** What axe calls serious or critical on the page, once everything on it has come. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.locator('[class*=animate-pulse]').first().waitFor({ state: 'detached' });
  // By the debugging protocol, which the content security policy does not concern.
  if (!(await page.evaluate(`'axe' in window`))) {
    await page.evaluate(await readAxe());
  }
  const found = findings.parse(
    await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, nodes }) =>
      ({ id, impact, where: nodes.map(({ html }) => html.slice(0, 200)) })))`),
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, where }) => `${id}: ${where.join(' | ')}`);
}

let axe: string | undefined;
async function readAxe(): Promise<string> {
  axe ??= await readFile(AXE, 'utf8');
  return axe;
}
