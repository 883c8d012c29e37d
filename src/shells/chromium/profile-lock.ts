import { readFile, readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../core/error-details.ts';

const LOCK_FILES = ['SingletonLock', 'SingletonSocket', 'SingletonCookie'];
const EXIT_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 100;

/**
 * Removes a stale lock that a killed browser left in its profile: it names a process that has ended, another
 * program with the same process id after a reboot, or, on a copied disk, another machine. A browser that is about
 * to end gets a few seconds. `commandLineMarker` is a part of the command line of a browser with this profile.
 */
export async function clearStaleLock(profileDir: string, commandLineMarker = profileDir): Promise<void> {
  const lock = join(profileDir, 'SingletonLock');
  const deadlineMs = performance.now() + EXIT_TIMEOUT_MS;
  for (;;) {
    // A symbolic link to `hostname-pid`.
    const target = await readlink(lock).catch(() => null);
    if (target === null) {
      return;
    }
    const [, host, pid] = /^(.*)-(\d+)$/.exec(target) ?? [];
    if (host !== hostname() || !(await isBrowserRunning(Number(pid), commandLineMarker))) {
      break;
    }
    if (performance.now() > deadlineMs) {
      throw new Error(`another browser (process ${pid}) uses the profile ${profileDir}`);
    }
    await wait(POLL_INTERVAL_MS);
  }
  for (const name of LOCK_FILES) {
    await rm(join(profileDir, name), { force: true });
  }
}

async function isBrowserRunning(pid: number, commandLineMarker: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    return isAlive(pid);
  }
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return pid !== process.pid && command.includes(commandLineMarker);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
