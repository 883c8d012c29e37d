import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const INTERVAL_MS = 2_000;
/** While there is no window, and for a while after a new one opens, because that is when the picture changes. */
const RETRY_INTERVAL_MS = 250;
const RETRY_PERIOD_MS = 5_000;

/**
 * Keeps a PNG of the screen up to date until the signal aborts. Readers see the old or the new picture, never a
 * part. The last picture stays while there is no window.
 */
export async function writeSnapshots(deps: {
  path: string;
  capture(): Promise<Uint8Array>;
  onError(error: unknown): void;
  signal: AbortSignal;
}): Promise<void> {
  const { path, signal } = deps;
  const tempPath = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  const aborted = once(signal, 'abort').then(() => null);
  let lastFailureMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const startedMs = performance.now();
    try {
      // A screenshot that never comes must not delay the end.
      const png = await Promise.race([deps.capture(), aborted]);
      if (png === null) {
        break;
      }
      await mkdir(dirname(path), { recursive: true });
      await writeFile(tempPath, png);
      await rename(tempPath, path);
    } catch (error) {
      deps.onError(error);
      lastFailureMs = performance.now();
    }
    const intervalMs = performance.now() - lastFailureMs < RETRY_PERIOD_MS ? RETRY_INTERVAL_MS : INTERVAL_MS;
    const remainingMs = Math.max(200, intervalMs - (performance.now() - startedMs));
    await wait(remainingMs, null, { signal, ref: false }).catch(() => {});
  }
  await rm(tempPath, { force: true });
}
