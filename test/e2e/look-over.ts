import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { z } from 'zod';

const SCRIPT = readFileSync(join(import.meta.dirname, 'look-over.page.js'), 'utf8').replace('export ', '');

const findings = z.object({
  /** One sentence for each thing that is wrong with the texts of the page. */
  problems: z.array(z.string()),
  /** How many texts were looked at. */
  texts: z.number(),
  /** Of all texts against every colour that may lie behind them; null without any. */
  leastContrast: z.number().nullable(),
});

/** Wanted of every text: what is asked for by the strictest level of WCAG 2. */
const LEAST_CONTRAST = 7;

/** Looks for texts of overlay and menu that leave the panel, are cut off, overlap, or stand out too little. */
export async function lookOver(page: Page): Promise<z.infer<typeof findings>> {
  return findings.parse(await page.evaluate(`(() => { ${SCRIPT}; return lookOver(${LEAST_CONTRAST}); })()`));
}
