import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canCreateUserNamespace } from '../chromium/sandbox.ts';

export interface ElectronSandboxDeps {
  platform: string;
  uid: number | undefined;
  /** Path of Electron's program; its set-user-id helper is in the same folder. */
  binary: string;
  /** Root of the file system; another one in tests. */
  root?: string;
  /** Whether an unprivileged program may create a user namespace here; by default the system is asked. */
  canCreateUserNamespace?: () => boolean;
}

/** The set-user-id bit: the program runs as its owner. */
const SET_USER_ID = 0o4000;

/**
 * Why Electron's sandbox cannot start here, and how to fix it; null when it can. Electron aborts without one. It
 * needs user namespaces, or its helper `chrome-sandbox`, owned by root and with the set-user-id bit, which npm
 * cannot install.
 */
export function findElectronSandboxProblem(deps: ElectronSandboxDeps): string | null {
  const { platform, uid, binary, root = '/' } = deps;
  // Root is started with `--no-sandbox`.
  if (platform !== 'linux' || uid === 0) {
    return null;
  }
  const helper = join(dirname(binary), 'chrome-sandbox');
  const fix = `run "sudo chown root ${helper} && sudo chmod 4755 ${helper}"`;
  if (isSetUserId(helper)) {
    return null;
  }
  const restriction = findNamespaceRestriction(root, binary);
  if (restriction !== null) {
    return `its sandbox cannot start: ${restriction}; ${fix}`;
  }
  const canCreate = deps.canCreateUserNamespace ?? canCreateUserNamespace;
  return canCreate()
    ? null
    : `its sandbox cannot start: this system does not let programs create user namespaces; ${fix}`;
}

function isSetUserId(helper: string): boolean {
  const info = statSync(helper, { throwIfNoEntry: false });
  return info !== undefined && info.uid === 0 && (info.mode & SET_USER_ID) !== 0;
}

/** The kernel setting that prevents user namespaces, or null. */
function findNamespaceRestriction(root: string, binary: string): string | null {
  const readSetting = (name: string): string | null => {
    const file = join(root, 'proc/sys', name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  };
  if (readSetting('user/max_user_namespaces') === '0') {
    return 'user.max_user_namespaces is 0';
  }
  if (readSetting('kernel/unprivileged_userns_clone') === '0') {
    return 'kernel.unprivileged_userns_clone is 0';
  }
  // Ubuntu since 23.10: only programs with an AppArmor profile may. Only root can see which ones are loaded.
  if (
    readSetting('kernel/apparmor_restrict_unprivileged_userns') === '1' &&
    !hasAppArmorProfile(root, binary)
  ) {
    return 'kernel.apparmor_restrict_unprivileged_userns is 1, and no AppArmor profile names this program';
  }
  return null;
}

function hasAppArmorProfile(root: string, binary: string): boolean {
  return globSync(join(root, 'etc/apparmor.d/*')).some((file) => {
    try {
      const text = readFileSync(file, 'utf8');
      return text.includes(binary) && text.includes('userns');
    } catch {
      // A folder, or not readable by this user.
      return false;
    }
  });
}
