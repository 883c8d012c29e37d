import { execFile } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { buildPackage } from '../scripts/build-package.ts';

const run = promisify(execFile);
const ENTRIES = ['.', './uploads', './webhooks'];

let folder: string;
beforeAll(async () => {
  folder = join(
    tempDir((remove) => afterAll(remove)),
    'client',
  );
  await buildPackage(folder);
  await symlink(join(import.meta.dirname, '../../../node_modules'), join(folder, '../node_modules'));
}, 120_000);

test('publint finds nothing wrong with the package', async () => {
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
  expect(messages).toEqual([]);
});

test('are-the-types-wrong finds nothing wrong with it, for programs that are ES modules', async () => {
  const { stdout } = await run('npm', ['pack', '--pack-destination', join(folder, '..')], { cwd: folder });
  const tarball = await readFile(join(folder, '..', stdout.trim()));
  const checked = await checkPackage(createPackageFromTarballData(tarball));
  if (!checked.types) {
    throw new Error('the package has no types');
  }
  // `node10` knows no `exports`; from CommonJS the package can be imported, as Node does since version 20.19.
  const problems = checked.problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' &&
      !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  );
  expect(problems).toEqual([]);
  expect(Object.keys(checked.entrypoints).toSorted()).toEqual(ENTRIES);
});

/** The size of a program that uses `entry`, minified and compressed, in bytes. */
async function bundle(entry: string) {
  const [output] = [
    await build({
      root: folder,
      logLevel: 'silent',
      build: {
        write: false,
        minify: true,
        lib: { entry: join(folder, entry), formats: ['es'], fileName: 'x' },
      },
    }),
  ].flat();
  if (!output || !('output' in output)) {
    throw new Error('nothing was built');
  }
  const code = output.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
  return { bytes: gzipSync(code).length, code };
}

test('without uploads it is at most 15 kB, compressed, and needs nothing of Node', async () => {
  const { bytes, code } = await bundle('index.js');
  expect(bytes).toBeLessThan(15_000);
  expect(bytes).toBeGreaterThan(2_000);
  expect(code).not.toMatch(/\bfrom ?["']|require\(|node:|Upload-Offset/);
});

test('the check of webhooks does not bring the rest along', async () => {
  expect((await bundle('webhooks.js')).bytes).toBeLessThan(2_000);
});

test('it has no files but the built ones, README and licence', async () => {
  const names = await readdir(folder, { recursive: true });
  expect(names.filter((name) => !/(\.d\.ts|\.js)$/.test(name) && name.includes('.'))).toEqual([
    'README.md',
    'package.json',
  ]);
  expect(names.filter((name) => name.includes('.test.'))).toEqual([]);
});
