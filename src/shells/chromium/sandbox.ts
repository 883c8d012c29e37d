import { spawnSync } from 'node:child_process';

/**
 * Whether a browser can use its sandbox. Chromium refuses it to root. A distribution's browser brings what it
 * needs; the carried one depends on user namespaces, which some systems switch off.
 */
export function sandboxWorks(deps: { platform: string; uid: number | undefined; carried: boolean }): boolean {
  if (deps.platform !== 'linux') return true;
  if (deps.uid === 0) return false;
  return !deps.carried || makesUserNamespace();
}

/** Whether an ordinary program may make a user namespace, and be somebody in it. */
export const makesUserNamespace = (): boolean =>
  spawnSync('unshare', ['--user', '--map-root-user', 'true']).status === 0;
