import { readFile, readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const LOCK_FILES = ['SingletonLock', 'SingletonSocket', 'SingletonCookie'];
const LEAVING_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Makes the profile usable again after a browser that was killed: its lock names a process that is gone, another
 * program that has got the same number at the next boot, or, on a copied disk, another machine. A browser that is just
 * leaving gets some seconds to do so. `mark` is what the command line of a browser with this profile holds.
 */
export async function clearStaleLock(profileDir: string, mark = profileDir): Promise<void> {
  const lock = join(profileDir, 'SingletonLock');
  const deadlineMs = performance.now() + LEAVING_PATIENCE_MS;
  for (;;) {
    // A symbolic link to `hostname-pid`.
    const target = await readlink(lock).catch(() => null);
    if (target === null) return;
    const [, host, pid] = /^(.*)-(\d+)$/.exec(target) ?? [];
    if (host !== hostname() || !(await runs(Number(pid), mark))) break;
    if (performance.now() > deadlineMs) {
      throw new Error(`another browser (process ${pid}) uses the profile ${profileDir}`);
    }
    await wait(LOOK_EVERY_MS);
  }
  for (const name of LOCK_FILES) await rm(join(profileDir, name), { force: true });
}

async function runs(pid: number, mark: string): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return pid !== process.pid && command.includes(mark);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
