import { mkdirSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FAULTS } from '@placard/protocol';
import { clearStaleLock } from '../chromium/profile-lock.ts';
import { isWritable } from '../data-folder.ts';

export interface InstanceLockDeps {
  /** Electron's profile, which only one player may use; made if it is not there. */
  profileDir: string;
  platform: string;
  /** Environment of this process; `TMPDIR` is set in it when the usual place for temporary files takes none. */
  env: Record<string, string | undefined>;
  execPath: string;
  pid: number;
  /** Electron's `app.requestSingleInstanceLock`. */
  request(): boolean;
}

/**
 * Takes the profile for this process. Answers with null, or with the sentence that says why it cannot be had. Electron
 * says no in the same way whether another player runs or the lock could not be made: on Linux it needs a link in the
 * profile, and after that a socket in the folder for temporary files.
 */
export async function takeInstanceLock(deps: InstanceLockDeps): Promise<string | null> {
  const { profileDir, env, platform } = deps;
  const linux = platform === 'linux';
  try {
    mkdirSync(profileDir, { recursive: true, mode: 0o700 });
  } catch {
    return cannotLock(profileDir);
  }
  if (linux && !isWritable(temporaryFolder(env))) env['TMPDIR'] = profileDir;
  try {
    await clearStaleLock(profileDir, basename(deps.execPath));
  } catch {
    return FAULTS['data.locked'].help;
  }
  if (deps.request()) return null;
  if (!linux) return FAULTS['data.locked'].help;
  // A link to `hostname-pid`; one of this process itself is left when the socket could not be made.
  const holder = await readlink(join(profileDir, 'SingletonLock')).catch(() => null);
  const another = holder !== null && !holder.endsWith(`-${deps.pid}`);
  return another ? FAULTS['data.locked'].help : cannotLock(profileDir, temporaryFolder(env));
}

const temporaryFolder = (env: InstanceLockDeps['env']): string => env['TMPDIR'] || '/tmp';

const cannotLock = (...folders: string[]): string =>
  `The player cannot take its browser profile for itself. No other player is running: files cannot be made in ${folders.join(' or ')}. Check owner, free space and whether the disk is read-only, then start again.`;
