import { spawnSync } from 'node:child_process';

/**
 * Whether a browser can use its sandbox. Chromium refuses it to root. A distribution's browser includes what it
 * needs; the bundled one depends on user namespaces, which some systems disable.
 */
export function canUseSandbox(deps: {
  platform: string;
  uid: number | undefined;
  isBundled: boolean;
}): boolean {
  if (deps.platform !== 'linux') {
    return true;
  }
  if (deps.uid === 0) {
    return false;
  }
  return !deps.isBundled || canCreateUserNamespace();
}

/** Whether an unprivileged program may create a user namespace with a mapped user. */
export const canCreateUserNamespace = (): boolean =>
  spawnSync('unshare', ['--user', '--map-root-user', 'true']).status === 0;
