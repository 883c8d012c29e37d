import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReleaseManifest } from '../../src/core/update/release-manifest.ts';
import { run } from '../run.ts';

/** Reads name, version and architecture from a `.deb`, or from the file name of a Windows installer; adds size and hash. */
export async function readPackage(file: string): Promise<ReleaseManifest> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return { ...identifyPackage(file), size: statSync(file).size, sha512: hash.digest('hex') };
}

function identifyPackage(file: string): Pick<ReleaseManifest, 'package' | 'version' | 'arch'> {
  if (file.endsWith('.deb')) {
    const field = (name: string) => run('dpkg-deb', ['-f', file, name]).trim();
    return { package: field('Package'), version: field('Version'), arch: field('Architecture') };
  }
  const found = /^placard-(\d+\.\d+\.\d+)-win-(x64)\.exe$/.exec(basename(file));
  if (!found?.[1] || !found[2]) {
    throw new Error(
      `${file} is not an update package: give a .deb, or a file named like placard-1.2.3-win-x64.exe.`,
    );
  }
  return { package: 'placard-windows', version: found[1], arch: found[2] };
}
