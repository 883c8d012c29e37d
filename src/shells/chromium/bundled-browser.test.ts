import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBundledPackage, unpackBundledBrowser } from './bundled-browser.ts';

let cache: string;

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'placard-carried-'));
});

afterEach(() => rm(cache, { recursive: true, force: true }));

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
