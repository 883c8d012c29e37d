import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { z } from 'zod';

const SCRIPT = readFileSync(join(import.meta.dirname, 'layout-check.page.js'), 'utf8').replace('export ', '');

const findings = z.object({
  /** One sentence for each layout problem of a text. */
  problems: z.array(z.string()),
  /** Number of checked texts. */
  texts: z.number(),
  /** Lowest contrast of any text with any colour behind it; null without texts. */
  leastContrast: z.number().nullable(),
});

export type LayoutFindings = z.infer<typeof findings>;

/** Minimum contrast of every text on screens: level AAA of WCAG 2. */
const SCREEN_CONTRAST = 7;
/** Of the console, which is read at arm's length: level AA. */
const CONSOLE_CONTRAST = 4.5;

/** Finds texts of overlay and menu that leave the panel, are cut off, overlap, or have too little contrast. */
export const checkLayout = (page: Page): Promise<LayoutFindings> =>
  check(page, SCREEN_CONTRAST, { within: '#overlay, #menu', scrolls: false });

/** The same on a page of the console, which may scroll up and down but not to the side; of a dialog if one is open. */
export const checkConsoleLayout = async (page: Page): Promise<LayoutFindings> => {
  const isOpen = (await page.locator('[role=dialog]').count()) > 0;
  return check(page, CONSOLE_CONTRAST, { within: isOpen ? '[role=dialog]' : 'body', scrolls: true });
};

async function check(page: Page, contrast: number, where: { within: string; scrolls: boolean }) {
  return findings.parse(
    await page.evaluate(
      `(() => { ${SCRIPT}; return checkLayout(${contrast}, ${JSON.stringify(where)}); })()`,
    ),
  );
}
