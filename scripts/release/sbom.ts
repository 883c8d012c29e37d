/**
 * `npm run sbom -- [folder]`: writes what is inside player and cloud as CycloneDX, one file each; `dist` when no folder is
 * named. Needs no network.
 */
import { mkdirSync } from 'node:fs';
import { REPOSITORY } from '../dist/pack.ts';
import { writeBills } from './write-bills.ts';

const folder = process.argv[2] ?? 'dist';
mkdirSync(folder, { recursive: true });
for (const { file, count } of writeBills(REPOSITORY, folder)) console.log(`${file}: ${count} packages`);
