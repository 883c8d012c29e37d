import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { lockedPackages } from '../../scripts/dist/locked-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const packages = lockedPackages(ROOT);
const manifest = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const read = (path: string) => manifest.parse(JSON.parse(readFileSync(join(ROOT, path), 'utf8')));

/** Whoever ships the product may do so under these; LGPL and MPL parts are shipped as they are. */
const LICENCES = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|MPL-2\.0|LGPL-3\.0-or-later)$/;

describe('what the product needs of others', () => {
  test('is proven by a hash, whichever machine installs it', () => {
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('is under licences that allow shipping it', () => {
    const others = packages.filter(
      ({ license }) => !(license ?? 'none').split(' AND ').every((part) => LICENCES.test(part)),
    );
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  test('runs no program when it is installed', () => {
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });

  test('leaves nothing to "pre" and "post" scripts, which npm then passes over', () => {
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
    'packages/cloud/package.json',
    'build/node/package.json',
  ])('is named by its exact version in %s', (path) => {
    const { dependencies, optionalDependencies } = read(path);
    const loose = Object.entries({ ...dependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+/.test(version),
    );
    expect(loose).toEqual([]);
  });
});
