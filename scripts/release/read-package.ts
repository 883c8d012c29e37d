import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReleaseManifest } from '../../src/core/update/manifest.ts';

/** What a built package is, by its own word: a `.deb` is asked, an installer for Windows has it in its name only. */
export async function readPackage(file: string): Promise<ReleaseManifest> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return { ...describe(file), size: statSync(file).size, sha512: hash.digest('hex') };
}

function describe(file: string): Pick<ReleaseManifest, 'package' | 'version' | 'arch'> {
  if (file.endsWith('.deb')) {
    const field = (name: string) => execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim();
    return { package: field('Package'), version: field('Version'), arch: field('Architecture') };
  }
  const found = /^placard-(\d+\.\d+\.\d+)-win-(x64)\.exe$/.exec(basename(file));
  if (!found?.[1] || !found[2])
    throw new Error(
      `${file} is neither a .deb nor named like placard-1.2.3-win-x64.exe: updates are made of these.`,
    );
  return { package: 'placard-windows', version: found[1], arch: found[2] };
}
