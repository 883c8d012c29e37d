import { mkdirSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { clearStaleLock } from '../chromium/profile-lock.ts';
import { isWritable } from '../options/data-folder.ts';
import { StartupError } from '../options/startup-error.ts';

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
 * Locks the profile for this process; throws a `StartupError` when that is not possible. Electron fails in the same
 * way whether another player runs or the lock cannot be created: on Linux it needs a link in the profile, and then a
 * socket in the temporary folder.
 */
export async function acquireInstanceLock(deps: InstanceLockDeps): Promise<void> {
  const { profileDir, env, platform } = deps;
  const linux = platform === 'linux';
  try {
    mkdirSync(profileDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw lockFailure([profileDir], error);
  }
  if (linux && !isWritable(temporaryFolder(env))) {
    env['TMPDIR'] = profileDir;
  }
  try {
    await clearStaleLock(profileDir, basename(deps.execPath));
  } catch (error) {
    throw lockedByAnother(error);
  }
  if (deps.requestSingleInstanceLock()) {
    return;
  }
  if (!linux) {
    throw lockedByAnother();
  }
  // A link to `hostname-pid`; a link to this process is left when the socket could not be created.
  const holder = await readlink(join(profileDir, 'SingletonLock')).catch(() => null);
  const heldByAnother = holder !== null && !holder.endsWith(`-${deps.pid}`);
  throw heldByAnother ? lockedByAnother() : lockFailure([profileDir, temporaryFolder(env)]);
}

const temporaryFolder = (env: InstanceLockDeps['env']): string => env['TMPDIR'] || '/tmp';

const lockedByAnother = (cause?: unknown) => new StartupError(FAULTS['data.locked'], cause);

const lockFailure = (folders: readonly string[], cause?: unknown) =>
  new StartupError(
    `The player cannot lock its browser profile, because files cannot be created in ${folders.join(' or ')}. No other player is running. Check owner, free space and whether the disk is read-only, then start again.`,
    cause,
  );
