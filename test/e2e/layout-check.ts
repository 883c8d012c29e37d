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

/** Minimum contrast of every text: level AAA of WCAG 2. */
const MIN_CONTRAST = 7;

/** Finds texts of overlay and menu that leave the panel, are cut off, overlap, or have too little contrast. */
export async function checkLayout(page: Page): Promise<z.infer<typeof findings>> {
  return findings.parse(await page.evaluate(`(() => { ${SCRIPT}; return checkLayout(${MIN_CONTRAST}); })()`));
}
