import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { acquireInstanceLock } from './instance-lock.ts';
import type { InstanceLockDeps } from './instance-lock.ts';

const ANOTHER = FAULTS['data.locked'];
let folder: string;
let deps: InstanceLockDeps;

beforeEach(() => {
  folder = tempDir();
  deps = {
    profileDir: join(folder, 'browser'),
    platform: 'linux',
    env: { TMPDIR: folder },
    execPath: '/opt/Placard/placard-player',
    pid: 4242,
    requestSingleInstanceLock: () => true,
  };
});
afterEach(() => {
  chmodSync(folder, 0o700);
});

test('locks the profile and does not change a writable temporary folder', async () => {
  await acquireInstanceLock(deps);
  expect(deps.env['TMPDIR']).toBe(folder);
});

test('uses another temporary folder when the default one is not writable', async () => {
  // A file instead of the folder fails for every user, also for root.
  const usual = join(folder, 'a-file');
  writeFileSync(usual, '');
  deps.env['TMPDIR'] = usual;
  let seen: string | undefined;
  await acquireInstanceLock({
    ...deps,
    requestSingleInstanceLock() {
      seen = deps.env['TMPDIR'];
      return true;
    },
  });
  expect(seen).toBe(deps.profileDir);
});

test('distinguishes another player from a lock that could not be created', async () => {
  mkdirSync(deps.profileDir);
  const lock = join(deps.profileDir, 'SingletonLock');
  const refused = (holder: number) => {
    symlinkSync(`${hostname()}-${holder}`, lock);
    return false;
  };
  const acquire = (requestSingleInstanceLock: () => boolean) =>
    acquireInstanceLock({ ...deps, requestSingleInstanceLock });
  await expect(acquire(() => refused(process.ppid))).rejects.toThrow(ANOTHER);
  rmSync(lock);
  // Electron has created the link and then found no place for its socket.
  const own = acquire(() => refused(4242));
  await expect(own).rejects.toThrow('No other player is running');
  await expect(own).rejects.toThrow(deps.profileDir);
  rmSync(lock);
  await expect(acquire(() => false)).rejects.toThrow('No other player is running');
});

test('has no lock to check on Windows', async () => {
  await expect(
    acquireInstanceLock({ ...deps, platform: 'win32', requestSingleInstanceLock: () => false }),
  ).rejects.toThrow(ANOTHER);
});

test('names a profile that cannot be created', async () => {
  writeFileSync(deps.profileDir, '');
  await expect(acquireInstanceLock(deps)).rejects.toThrow(deps.profileDir);
});
