import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findElectronSandboxProblem } from './electron-sandbox.ts';
import type { ElectronSandboxDeps } from './electron-sandbox.ts';

let root: string;
let deps: ElectronSandboxDeps;

beforeEach(() => {
  root = tempDir();
  deps = {
    platform: 'linux',
    uid: 1000,
    binary: join(root, 'electron/dist/electron'),
    root,
    canCreateUserNamespace: () => true,
  };
});

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test('can start where programs may create user namespaces', () => {
  put('proc/sys/kernel/apparmor_restrict_unprivileged_userns', '0\n');
  put('proc/sys/user/max_user_namespaces', '31436\n');
  expect(findElectronSandboxProblem(deps)).toBeNull();
});

test.each([
  ['kernel/apparmor_restrict_unprivileged_userns', '1', 'kernel.apparmor_restrict_unprivileged_userns is 1'],
  ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone is 0'],
  ['user/max_user_namespaces', '0', 'user.max_user_namespaces is 0'],
])('cannot start where %s is %s, and says what to do', (setting, value, reason) => {
  put(`proc/sys/${setting}`, `${value}\n`);
  const why = findElectronSandboxProblem(deps);
  expect(why).toContain(reason);
  expect(why).toContain(`chmod 4755 ${join(root, 'electron/dist/chrome-sandbox')}`);
});

test('trusts the actual attempt more than the settings', () => {
  expect(findElectronSandboxProblem({ ...deps, canCreateUserNamespace: () => false })).toContain(
    'not let programs create user namespaces',
  );
});

test('can start where AppArmor has a profile for this program', () => {
  put('proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1\n');
  put('etc/apparmor.d/another', 'profile another /usr/bin/another { userns, }');
  expect(findElectronSandboxProblem(deps)).not.toBeNull();
  put('etc/apparmor.d/electron', `profile electron ${deps.binary} flags=(unconfined) { userns, }`);
  expect(findElectronSandboxProblem(deps)).toBeNull();
});

test.skipIf(process.getuid?.() !== 0)('needs no namespaces where its helper runs as root', () => {
  put('proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1\n');
  const helper = put('electron/dist/chrome-sandbox', '');
  chmodSync(helper, 0o755);
  expect(findElectronSandboxProblem(deps)).not.toBeNull();
  chmodSync(helper, 0o4755);
  expect(findElectronSandboxProblem(deps)).toBeNull();
});

test('is not needed by root, nor on systems other than Linux', () => {
  put('proc/sys/user/max_user_namespaces', '0\n');
  expect(findElectronSandboxProblem({ ...deps, uid: 0 })).toBeNull();
  expect(findElectronSandboxProblem({ ...deps, platform: 'win32', uid: undefined })).toBeNull();
});
