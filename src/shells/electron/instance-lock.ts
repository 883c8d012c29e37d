import { mkdirSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { clearStaleLock } from '../chromium/profile-lock.ts';
import { isWritable } from '../options/data-folder.ts';

export interface InstanceLockDeps {
  /** Electron's profile, which only one player may use; created if it does not exist. */
  profileDir: string;
  platform: string;
  /** Environment of this process; `TMPDIR` is set in it when the default temporary folder is not writable. */
  env: Record<string, string | undefined>;
  execPath: string;
  pid: number;
  /** Electron's `app.requestSingleInstanceLock`. */
  requestSingleInstanceLock(): boolean;
}

/**
 * Locks the profile for this process. Returns null, or a sentence that says why it is not possible. Electron fails
 * in the same way whether another player runs or the lock cannot be created: on Linux it needs a link in the
 * profile, and then a socket in the temporary folder.
 */
export async function acquireInstanceLock(deps: InstanceLockDeps): Promise<string | null> {
  const { profileDir, env, platform } = deps;
  const linux = platform === 'linux';
  try {
    mkdirSync(profileDir, { recursive: true, mode: 0o700 });
  } catch {
    return lockFailureMessage(profileDir);
  }
  if (linux && !isWritable(temporaryFolder(env))) {
    env['TMPDIR'] = profileDir;
  }
  try {
    await clearStaleLock(profileDir, basename(deps.execPath));
  } catch {
    return FAULTS['data.locked'].help;
  }
  if (deps.requestSingleInstanceLock()) {
    return null;
  }
  if (!linux) {
    return FAULTS['data.locked'].help;
  }
  // A link to `hostname-pid`; a link to this process is left when the socket could not be created.
  const holder = await readlink(join(profileDir, 'SingletonLock')).catch(() => null);
  const heldByAnother = holder !== null && !holder.endsWith(`-${deps.pid}`);
  return heldByAnother ? FAULTS['data.locked'].help : lockFailureMessage(profileDir, temporaryFolder(env));
}

const temporaryFolder = (env: InstanceLockDeps['env']): string => env['TMPDIR'] || '/tmp';

const lockFailureMessage = (...folders: string[]): string =>
  `The player cannot lock its browser profile. No other player is running: files cannot be created in ${folders.join(' or ')}. Check owner, free space and whether the disk is read-only, then start again.`;
