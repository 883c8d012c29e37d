/**
 * `npm run sbom -- [folder]`: writes the SBOMs of player and cloud as CycloneDX, one file each, into the folder (default:
 * `dist`). Needs no network.
 */
import { mkdirSync } from 'node:fs';
import { REPOSITORY } from '../repository.ts';
import { writeSboms } from './write-sboms.ts';

const folder = process.argv[2] ?? 'dist';
mkdirSync(folder, { recursive: true });
for (const { file, count } of writeSboms(REPOSITORY, folder)) {
  console.log(`${file}: ${count} packages`);
}
