import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { clearStaleLock } from './profile-lock.ts';

let profile: string;
let lock: string;

beforeEach(async () => {
  profile = tempDir();
  lock = join(profile, 'SingletonLock');
});

const lockIsThere = () =>
  lstat(lock).then(
    () => true,
    () => false,
  );

test('removes the lock of a browser that has ended', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await symlink(`${hostname()}-${child.pid}`, lock);
  await clearStaleLock(profile);
  expect(await lockIsThere()).toBe(false);
});

test('removes the lock of another machine', async () => {
  await symlink(`another-box-${process.pid}`, lock);
  await clearStaleLock(profile);
  expect(await lockIsThere()).toBe(false);
});

/** Runs until its standard input ends. */
async function program(...args: string[]) {
  const script = "process.stdout.write('.'); process.stdin.resume()";
  const child = spawn(process.execPath, ['-e', script, '--', ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

test('waits for a browser that is about to end', async () => {
  const browser = await program(`--user-data-dir=${profile}`);
  await symlink(`${hostname()}-${browser.pid}`, lock);
  const cleared = clearStaleLock(profile);
  browser.stdin.end();
  await cleared;
  expect(await lockIsThere()).toBe(false);
});

test('keeps the lock of a running browser', async () => {
  const browser = await program(`--user-data-dir=${profile}`);
  await symlink(`${hostname()}-${browser.pid}`, lock);
  await expect(clearStaleLock(profile)).rejects.toThrow('another browser');
  expect(await lockIsThere()).toBe(true);
  browser.stdin.end();
});

test.runIf(process.platform === 'linux')(
  'removes a lock whose process id belongs to another program, as after a power cut',
  async () => {
    const other = await program();
    await symlink(`${hostname()}-${other.pid}`, lock);
    await clearStaleLock(profile);
    expect(await lockIsThere()).toBe(false);
    other.stdin.end();
  },
);

test('does nothing in a profile without a lock', async () => {
  await expect(clearStaleLock(profile)).resolves.toBeUndefined();
});
