import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeInstanceLock, type InstanceLockDeps } from './instance-lock.ts';

const ANOTHER = FAULTS['data.locked'].help;
let folder: string;
let deps: InstanceLockDeps;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-lock-'));
  deps = {
    profileDir: join(folder, 'browser'),
    platform: 'linux',
    env: { TMPDIR: folder },
    execPath: '/opt/Placard/placard-player',
    pid: 4242,
    request: () => true,
  };
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

it('takes the profile, and leaves the folder for temporary files as it is', async () => {
  expect(await takeInstanceLock(deps)).toBeNull();
  expect(deps.env['TMPDIR']).toBe(folder);
});

it('takes another folder for temporary files when the usual one takes none', async () => {
  // A file in its place refuses everybody, root as well.
  const usual = join(folder, 'a-file');
  writeFileSync(usual, '');
  deps.env['TMPDIR'] = usual;
  let seen: string | undefined;
  const answer = await takeInstanceLock({
    ...deps,
    request() {
      seen = deps.env['TMPDIR'];
      return true;
    },
  });
  expect([answer, seen]).toEqual([null, deps.profileDir]);
});

it('tells another player from a lock that could not be made', async () => {
  mkdirSync(deps.profileDir);
  const lock = join(deps.profileDir, 'SingletonLock');
  const refused = (holder: number) => {
    symlinkSync(`${hostname()}-${holder}`, lock);
    return false;
  };
  expect(await takeInstanceLock({ ...deps, request: () => refused(process.ppid) })).toBe(ANOTHER);
  rmSync(lock);
  // Electron has made the link and then found no place for its socket.
  const own = await takeInstanceLock({ ...deps, request: () => refused(4242) });
  expect(own).toContain('No other player is running');
  expect(own).toContain(deps.profileDir);
  rmSync(lock);
  expect(await takeInstanceLock({ ...deps, request: () => false })).toContain('No other player is running');
});

it('has no lock to look at on Windows', async () => {
  expect(await takeInstanceLock({ ...deps, platform: 'win32', request: () => false })).toBe(ANOTHER);
});

it('names a profile that cannot be made', async () => {
  writeFileSync(deps.profileDir, '');
  expect(await takeInstanceLock(deps)).toContain(deps.profileDir);
});
