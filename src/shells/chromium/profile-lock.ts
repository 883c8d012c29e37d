import { readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const LOCK_FILES = ['SingletonLock', 'SingletonSocket', 'SingletonCookie'];
const LEAVING_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Makes the profile usable again after a browser that was killed: its lock names a process that is gone, or,
 * on a copied disk, another machine. A browser that is just leaving gets some seconds to do so.
 */
export async function clearStaleLock(profileDir: string): Promise<void> {
  const lock = join(profileDir, 'SingletonLock');
  const deadlineMs = performance.now() + LEAVING_PATIENCE_MS;
  for (;;) {
    // A symbolic link to `hostname-pid`.
    const target = await readlink(lock).catch(() => null);
    if (target === null) return;
    const [, host, pid] = /^(.*)-(\d+)$/.exec(target) ?? [];
    if (host !== hostname() || !isAlive(Number(pid))) break;
    if (performance.now() > deadlineMs) {
      throw new Error(`another browser (process ${pid}) uses the profile ${profileDir}`);
    }
    await wait(LOOK_EVERY_MS);
  }
  for (const name of LOCK_FILES) await rm(join(profileDir, name), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
