import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sbomForProduct, PRODUCTS, readFullSbom } from './bill-of-materials.ts';

/** Writes `placard-player.cdx.json` and `placard-cloud.cdx.json` into the folder. */
export function writeSboms(repository: string, folder: string): { file: string; count: number }[] {
  const whole = readFullSbom(repository);
  return Object.entries(PRODUCTS).map(([name, product]) => {
    const sbom = sbomForProduct(whole, product, repository);
    const file = join(folder, `placard-${name}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
    return { file, count: sbom.components.length };
  });
}
