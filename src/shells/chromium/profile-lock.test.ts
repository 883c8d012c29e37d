import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdtemp, rm, symlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clearStaleLock } from './profile-lock.ts';

let profile: string;
let lock: string;

beforeEach(async () => {
  profile = await mkdtemp(join(tmpdir(), 'placard-profile-'));
  lock = join(profile, 'SingletonLock');
});

afterEach(() => rm(profile, { recursive: true, force: true }));

const lockIsThere = () =>
  lstat(lock).then(
    () => true,
    () => false,
  );

it('removes the lock of a browser that is gone', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await symlink(`${hostname()}-${child.pid}`, lock);
  await clearStaleLock(profile);
  expect(await lockIsThere()).toBe(false);
});

it('removes the lock of another machine', async () => {
  await symlink(`another-box-${process.pid}`, lock);
  await clearStaleLock(profile);
  expect(await lockIsThere()).toBe(false);
});

it('waits for a browser that is just leaving', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await symlink(`${hostname()}-${child.pid}`, lock);
  const cleared = clearStaleLock(profile);
  child.stdin?.end();
  await cleared;
  expect(await lockIsThere()).toBe(false);
});

it('leaves a profile without a lock alone', async () => {
  await expect(clearStaleLock(profile)).resolves.toBeUndefined();
});
