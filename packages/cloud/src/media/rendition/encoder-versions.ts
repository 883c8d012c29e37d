import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { z } from 'zod';

/** Of our own settings; to be increased when parts encoded with others do not fit to them. */
const SETTINGS_VERSION = 2;
const packageJson = z.object({ version: z.string() });

/** Stands for the versions of all that encodes videos, in 12 characters: what others have encoded may not fit to it. */
export function encoderVersions(): string {
  const server = findPackage('@mediabunny/server', import.meta.url);
  // FFmpeg, which only the package before depends on.
  const ffmpeg = findPackage('node-av', server);
  const versions = [findPackage('mediabunny', import.meta.url), server, ffmpeg].map(versionOf);
  return createHash('sha256')
    .update(JSON.stringify([SETTINGS_VERSION, ...versions]))
    .digest('hex')
    .slice(0, 12);
}

function findPackage(name: string, from: string): string {
  const path = findPackageJSON(name, from);
  if (path === undefined) {
    throw new Error(`The version of ${name} cannot be found.`);
  }
  return path;
}

const versionOf = (path: string): string => packageJson.parse(JSON.parse(readFileSync(path, 'utf8'))).version;
