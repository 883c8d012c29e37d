import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOf, PRODUCTS, wholeBill } from './bill-of-materials.ts';

/** Writes `placard-player.cdx.json` and `placard-cloud.cdx.json` into the folder. */
export function writeBills(repository: string, folder: string): { file: string; count: number }[] {
  const whole = wholeBill(repository);
  return Object.entries(PRODUCTS).map(([name, product]) => {
    const bill = billOf(whole, product, repository);
    const file = join(folder, `placard-${name}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
    return { file, count: bill.components.length };
  });
}
