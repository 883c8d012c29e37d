import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makesUserNamespace } from './chromium/sandbox.ts';

export interface ElectronSandboxDeps {
  platform: string;
  uid: number | undefined;
  /** Path of Electron's program; its set-user-id helper lies beside it. */
  binary: string;
  /** Of the system; another one in tests. */
  root?: string;
  /** Whether an ordinary program may make a user namespace here; asks the system if not given. */
  makesNamespace?: () => boolean;
}

/** Owner may write, all may execute, and it runs as its owner. */
const SET_USER_ID = 0o4000;

/**
 * Why Electron's sandbox cannot start here, with what would mend it; null when it can. Electron aborts without one. It
 * needs user namespaces, or else its helper `chrome-sandbox`, owned by root and with the set-user-id bit, which npm
 * cannot install.
 */
export function whyNoElectronSandbox(deps: ElectronSandboxDeps): string | null {
  const { platform, uid, binary, root = '/' } = deps;
  // Root is given `--no-sandbox`.
  if (platform !== 'linux' || uid === 0) return null;
  const helper = join(dirname(binary), 'chrome-sandbox');
  const mend = `run "sudo chown root ${helper} && sudo chmod 4755 ${helper}"`;
  if (isSetUserId(helper)) return null;
  const restricted = namespaceSetting(root, binary);
  if (restricted !== null) return `its sandbox cannot start: ${restricted}; ${mend}`;
  const makes = deps.makesNamespace ?? makesUserNamespace;
  return makes() ? null : `its sandbox cannot start: this system gives programs no user namespaces; ${mend}`;
}

function isSetUserId(helper: string): boolean {
  const info = statSync(helper, { throwIfNoEntry: false });
  return info !== undefined && info.uid === 0 && (info.mode & SET_USER_ID) !== 0;
}

/** The setting of the kernel that is in the way, or null. */
function namespaceSetting(root: string, binary: string): string | null {
  const value = (name: string): string | null => {
    const file = join(root, 'proc/sys', name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  };
  if (value('user/max_user_namespaces') === '0') return 'user.max_user_namespaces is 0';
  if (value('kernel/unprivileged_userns_clone') === '0') return 'kernel.unprivileged_userns_clone is 0';
  // Ubuntu since 23.10: programs with a profile of their own may. Which ones are loaded only root can see.
  if (value('kernel/apparmor_restrict_unprivileged_userns') === '1' && !hasProfile(root, binary))
    return 'kernel.apparmor_restrict_unprivileged_userns is 1, and no AppArmor profile names this program';
  return null;
}

function hasProfile(root: string, binary: string): boolean {
  return globSync(join(root, 'etc/apparmor.d/*')).some((file) => {
    try {
      const text = readFileSync(file, 'utf8');
      return text.includes(binary) && text.includes('userns');
    } catch {
      // A folder, or not for everybody to read.
      return false;
    }
  });
}
