import { readFileSync } from 'node:fs';

/** Marks the fuses in Electron's binary: followed by a version, the number of fuses and a digit for each. */
export const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** In the order of the binary. */
export const FUSES = [
  'RunAsNode',
  'CookieEncryption',
  'NodeOptions',
  'NodeCliInspect',
  'EmbeddedAsarIntegrityValidation',
  'OnlyLoadAppFromAsar',
  'LoadBrowserProcessSpecificV8Snapshot',
  'GrantFileProtocolExtraPrivileges',
] as const;

export type Fuse = (typeof FUSES)[number];

/** The fuses of a program that are on. */
export function readFuses(program: string): Set<Fuse> {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(FUSE_SENTINEL);
  if (at < 0) {
    throw new Error(`no fuses were found in ${program}`);
  }
  const states = bytes.subarray(at + FUSE_SENTINEL.length + 2);
  return new Set(FUSES.filter((_fuse, index) => states[index] === '1'.charCodeAt(0)));
}
