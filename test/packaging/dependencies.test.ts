import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readLockedPackages } from '../../scripts/dependencies/locked-packages.ts';
import { findProductionPackages } from '../../scripts/dependencies/production-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const packages = readLockedPackages(ROOT);
const manifest = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const read = (path: string) => manifest.parse(JSON.parse(readFileSync(join(ROOT, path), 'utf8')));

/** Licences that allow shipping the product; LGPL and MPL parts are shipped unmodified. */
const LICENCES =
  /^(MIT|MIT-0|ISC|0BSD|BlueOak-1\.0\.0|BSD-[23]-Clause|Apache-2\.0|MPL-2\.0|LGPL-3\.0-or-later)$/;

/**
 * The optional video decoder of the cloud. See docs/adr/0016-media-inspection-processes.md: its native package is
 * GPL-3.0-or-later, whatever its `package.json` says, so neither it nor its dependencies are in our packages.
 */
const DECODER = '@mediabunny/server';
const NATIVE = /^@seydx\/node-av-/;
/** Reviewed by hand, with the licence in `package.json`. */
const REVIEWED_LICENCES: Readonly<Record<string, string>> = {
  // Public domain.
  tweetnacl: 'Unlicense',
  // Its LICENSE file is the 3-clause BSD licence.
  '@shinyoshiaki/jspack': 'none',
};
/** The build options of the native package; null where the optional decoder is not installed. */
const ffmpeg = await import('node-av').then(
  ({ getFFmpegInfo }) => getFFmpegInfo(),
  () => null,
);
const decoderPackages = packagesOf(DECODER);

/** A package and all its dependencies, by name. */
function packagesOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) {
    return found;
  }
  found.add(name);
  for (const each of packages.filter((one) => one.name === name)) {
    for (const needed of Object.keys({ ...each.dependencies, ...each.optionalDependencies })) {
      packagesOf(needed, found);
    }
  }
  return found;
}

describe('third-party packages', () => {
  test('are locked by hash, for every platform', () => {
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('have licences that allow shipping them', () => {
    const others = packages.filter(
      ({ name, license }) =>
        !(license ?? 'none').split(' AND ').every((part) => LICENCES.test(part)) &&
        !(decoderPackages.has(name) && REVIEWED_LICENCES[name] === (license ?? 'none')),
    );
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  test('do not include the video decoder in the player', () => {
    expect([...decoderPackages].filter((name) => NATIVE.test(name)).length).toBeGreaterThan(3);
    const needed = packages.filter(({ name }) => name === DECODER || name === 'node-av' || NATIVE.test(name));
    expect(needed.filter(({ optional }) => !optional).map(({ name }) => name)).toEqual([]);
    const shipped = findProductionPackages(ROOT).map((path) => path.replace(/^.*node_modules\//, ''));
    expect(shipped).toContain('better-sqlite3');
    const forCloud = packages.filter(
      ({ name, license }) =>
        decoderPackages.has(name) &&
        (NATIVE.test(name) || name === DECODER || name === 'node-av' || !LICENCES.test(license ?? 'none')),
    );
    expect(shipped.filter((name) => forCloud.some((one) => one.name === name))).toEqual([]);
  });

  test.skipIf(!ffmpeg)(
    'include the FFmpeg that the ADR describes: under the GPL, not the licence in its package.json',
    () => {
      const flags = ffmpeg?.configuration.split(' ') ?? [];
      expect(flags).toEqual(expect.arrayContaining(['--enable-gpl', '--enable-version3']));
      expect(flags).not.toContain('--enable-nonfree');
      const decision = readFileSync(join(ROOT, 'docs/adr/0016-media-inspection-processes.md'), 'utf8');
      const documentedFlags = [
        '--enable-gpl',
        '--enable-version3',
        '--enable-libx264',
        '--enable-libfdk-aac',
      ];
      expect(documentedFlags.filter((flag) => flags.includes(flag) && !decision.includes(flag))).toEqual([]);
    },
  );

  test('run no scripts when they are installed', () => {
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });

  test('do not rely on "pre" and "post" scripts, which npm then skips', () => {
    const { scripts } = read('package.json');
    const hooks = Object.keys(scripts).filter((name) =>
      Object.keys(scripts).some((other) => name === `pre${other}` || name === `post${other}`),
    );
    expect(hooks).toEqual([]);
  });

  test.each([
    'package.json',
    'packages/protocol/package.json',
    'packages/schedule/package.json',
    'packages/client/package.json',
    'packages/cli/package.json',
    'packages/cloud/package.json',
    'packages/console/package.json',
    'build/node/package.json',
  ])('is named by its exact version in %s', (path) => {
    const { dependencies, optionalDependencies } = read(path);
    const loose = Object.entries({ ...dependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+/.test(version),
    );
    expect(loose).toEqual([]);
  });
});
